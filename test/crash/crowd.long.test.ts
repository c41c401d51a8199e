/** Forty tasks in six groups, eight at once, killed twenty-five times. */
import { describeCrowd } from './describe-crowd.ts'

const kills = Number(process.env.CROWD_KILLS ?? 25)

describeCrowd({ tasks: 40, groups: 6, parallel: 8, kills, mostEventsBetweenKills: 60 })
