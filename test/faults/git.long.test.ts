/** A git that fails at every kind of call. */
import { describeFailingGit, places } from './describe-failing-git.ts'

describeFailingGit(places)
