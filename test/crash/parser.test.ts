/** A few instants between a reviewer's answer and the parsed review, for every run of the tests. */
import { describeParser } from './describe-parser.ts'

describeParser(2)
