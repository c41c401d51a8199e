/** A few instants between a reviewer and the parser of its words, for every run of the tests. */
import { describeParser } from './describe-parser.ts'

describeParser(2)
