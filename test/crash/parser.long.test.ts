/** Kills Umpire at every instant between a reviewer's answer and the parsed review. */
import { describeParser } from './describe-parser.ts'

describeParser(Number.POSITIVE_INFINITY)
