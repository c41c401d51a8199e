/** The parts of the material that the reviewer is shown. */
export interface ReviewContext {
  taskDefinition: boolean
  gitDiff: boolean
  /** The output of every gate but `lint`. */
  testResults: boolean
  /** The output of the gate named `lint`. */
  lintResults: boolean
  /** The developer's transcript; never together with `blind`. */
  sessionLog: boolean
  plan: boolean
}
