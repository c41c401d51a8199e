/** Path patterns as people write them: `*` and `?` within a name, `**` across folders, `{a,b}` for either. */

/** Whether a word is a pattern and not a name. Brackets belong to names: `pages/[id].ts`. */
export function isGlob(text: string): boolean {
  return /[*?]|\{[^{}]*,[^{}]*\}/.test(text)
}

export function matchesGlob(pattern: string, path: string): boolean {
  const names = path.split('/')
  return alternatives(pattern).some((each) => matchesFolders(each.split('/'), names))
}

/** The folder that contains everything a pattern can match, with a slash at its end. Empty if the match can be anywhere. */
export function fixedFolder(pattern: string): string {
  const wild = pattern.search(/[*?{]/)
  return wild < 0 ? pattern : pattern.slice(0, pattern.lastIndexOf('/', wild) + 1)
}

/** What a path must end with to match: `.ts` for `src/*.ts`. Empty if there is no single ending. */
export function fixedEnd(pattern: string): string {
  return /[*?]([^*?{}/]*)$/.exec(pattern)?.[1] ?? ''
}

/** The most alternatives that are expanded. People don't write more, and their number multiplies with each brace. */
const mostAlternatives = 32

function alternatives(pattern: string): string[] {
  let open = [pattern]
  for (;;) {
    const next = open.flatMap((each) => {
      const brace = /\{([^{}]*,[^{}]*)\}/.exec(each)
      if (!brace) return [each]
      const before = each.slice(0, brace.index)
      const after = each.slice(brace.index + brace[0].length)
      return (brace[1] ?? '').split(',').map((choice) => `${before}${choice}${after}`)
    })
    if (next.length === open.length && next.every((each, at) => each === open[at])) return open
    if (next.length > mostAlternatives) return open
    open = next
  }
}

function matchesFolders(pattern: string[], names: string[]): boolean {
  return matchSequence(pattern, names, (part) => part === '**', matchesName)
}

function matchesName(pattern: string, name: string): boolean {
  return matchSequence(
    [...pattern],
    [...name],
    (part) => part === '*',
    (part, letter) => part === '?' || part === letter,
  )
}

/**
 * Walks through both lists and remembers one place to come back to: the latest part that matches any number of things. An
 * earlier one never has to be tried again, so the time is at most the product of the lengths, whatever the pattern is.
 */
function matchSequence(
  pattern: string[],
  things: string[],
  isAny: (part: string) => boolean,
  matches: (part: string, thing: string) => boolean,
): boolean {
  let at = 0
  let thing = 0
  let comeBack: { at: number; thing: number } | null = null
  while (thing < things.length) {
    const part = pattern[at]
    if (part !== undefined && isAny(part)) {
      comeBack = { at: at + 1, thing }
      at += 1
    } else if (part !== undefined && matches(part, things[thing] ?? '')) {
      at += 1
      thing += 1
    } else if (comeBack) {
      comeBack = { at: comeBack.at, thing: comeBack.thing + 1 }
      at = comeBack.at
      thing = comeBack.thing
    } else {
      return false
    }
  }
  return pattern.slice(at).every(isAny)
}
