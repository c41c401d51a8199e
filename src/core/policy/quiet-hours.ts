/** Hours of the day without notifications, as in `22:00-07:00`. They are in local time and may span midnight. */
export interface QuietHours {
  /** Minutes after midnight; 1440 is the end of the day. `from` is included and `to` is not. */
  from: number
  to: number
}

export const quietRule = 'must be hours of the day such as "22:00-07:00"; "00:00-24:00" means always'

/** Null if the text is not a range of hours. Two equal ends are refused, because they could mean never or always. */
export function parseQuietHours(text: string): QuietHours | null {
  const [, fromHour, fromMinute, toHour, toMinute] =
    /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-4]):([0-5]\d)$/.exec(text) ?? []
  const from = Number(fromHour) * 60 + Number(fromMinute)
  const to = Number(toHour) * 60 + Number(toMinute)
  return Number.isNaN(from) || to > 24 * 60 || from === to ? null : { from, to }
}

export function isQuiet({ from, to }: QuietHours, at: Date): boolean {
  const minute = at.getHours() * 60 + at.getMinutes()
  return from < to ? from <= minute && minute < to : from <= minute || minute < to
}
