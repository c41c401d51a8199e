/** Every instant between a reviewer and what a parser makes of its words. */
import { describeParser } from './describe-parser.ts'

describeParser(Number.POSITIVE_INFINITY)
