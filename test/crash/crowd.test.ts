/** A small crowd, for every run of the tests. */
import { describeCrowd } from './describe-crowd.ts'

describeCrowd({ tasks: 6, groups: 2, parallel: 3, kills: 4, mostEventsBetweenKills: 40 })
