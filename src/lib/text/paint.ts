/** Colours by the terminal's own numbers, so that they follow the user's theme. Or no colours at all. */
const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const

export type Paint = Record<keyof typeof codes, (text: string) => string>

const names = Object.keys(codes) as (keyof typeof codes)[]

export function createPaint(colours: 'on' | 'off'): Paint {
  const brush = (name: keyof typeof codes) => (text: string) =>
    colours === 'off' || text === '' ? text : `\u001b[${codes[name][0]}m${text}\u001b[${codes[name][1]}m`
  return Object.fromEntries(names.map((name) => [name, brush(name)])) as Paint
}

export const noPaint: Paint = createPaint('off')

/**
 * No beats yes: NO_COLOR (not empty) takes precedence over FORCE_COLOR, and that over the kind of stream. A TERM=dumb
 * terminal would show the codes as text.
 */
export function wantsColours(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): 'on' | 'off' {
  if (env.NO_COLOR) return 'off'
  const forced = env.FORCE_COLOR
  if (forced !== undefined && forced !== '') return /^(0|false)$/.test(forced) ? 'off' : 'on'
  return stream.isTTY && env.TERM !== 'dumb' ? 'on' : 'off'
}
