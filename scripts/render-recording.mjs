/** Renders terminal lines, each with its time, as an animated SVG that plays without a script. */
const columns = 100
const size = { line: 19, letter: 8.4, left: 16, top: 44 }
const colours = {
  31: '#ff7b72',
  32: '#7ee787',
  33: '#e3b341',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#76e3ea',
  90: '#8b949e',
}

/** `lines` are `{ at, text }` with milliseconds from the start. The recording starts again after `lengthMs`. */
export function renderRecording(lines, lengthMs) {
  const shown = lines.flatMap(({ at, text }) => wrap(parse(text)).map((spans) => ({ at, spans })))
  const width = Math.round(size.left * 2 + columns * size.letter)
  const height = size.top + shown.length * size.line + 14
  const steps = [...new Set(shown.map(({ at }) => at))]
  const rules = steps.map((at, index) => {
    const percent = ((at / lengthMs) * 100).toFixed(2)
    return `@keyframes k${index}{0%,${percent}%{opacity:0}${(Number(percent) + 0.01).toFixed(2)}%,100%{opacity:1}}.k${index}{animation:k${index} ${lengthMs}ms linear infinite}`
  })
  const rows = shown.map(({ at, spans }, row) => {
    const y = size.top + (row + 1) * size.line - 5
    return `<text xml:space="preserve" class="k${steps.indexOf(at)}" x="${size.left}" y="${y}">${spans.map(span).join('')}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A terminal session: tasks are filed, worked on, reviewed, sent back, approved and merged">
<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#e6edf3;white-space:pre}${rules.join('')}@media (prefers-reduced-motion:reduce){text{animation:none!important}}</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${['#ff5f56', '#ffbd2e', '#27c93f'].map((fill, index) => `<circle cx="${22 + index * 20}" cy="22" r="6" fill="${fill}"/>`).join('')}
${rows.join('\n')}
</svg>
`
}

/** A line with colours as spans of `{ text, codes }`. */
function parse(line) {
  const spans = []
  let codes = []
  for (const [, sequence, text] of line.matchAll(/\u001b\[([\d;]*)m|([^\u001b]+)/g)) {
    if (text !== undefined) spans.push({ text, codes })
    else for (const code of sequence.split(';').map(Number)) codes = after(codes, code)
  }
  return spans
}

function after(codes, code) {
  if (code === 0) return []
  if (code === 22) return codes.filter((other) => other > 2)
  return code === 39 ? codes.filter((other) => other <= 2) : [...codes, code]
}

function wrap(spans) {
  const rows = [[]]
  let room = columns
  for (const { text, codes } of spans) {
    for (let rest = text; rest !== ''; ) {
      if (room === 0) {
        rows.push([])
        room = columns
      }
      const taken = fitting(rest, room)
      rows.at(-1).push({ text: rest.slice(0, taken), codes })
      rest = rest.slice(taken)
      room = rest === '' ? room - taken : 0
    }
  }
  return rows
}

/** How much of a text fits on a line. Words are broken only if there is no other way. */
function fitting(text, room) {
  if (text.length <= room) return text.length
  const space = text.lastIndexOf(' ', room)
  return space > 0 ? space + 1 : room
}

function span({ text, codes }) {
  const colour = codes.map((code) => colours[code]).findLast(Boolean)
  const style = [
    colour && `fill="${colour}"`,
    codes.includes(1) && 'font-weight="bold"',
    codes.includes(2) && 'opacity="0.65"',
  ].filter(Boolean)
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return `<tspan ${style.join(' ')}>${escaped}</tspan>`
}
