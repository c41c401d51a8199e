/**
 * Paths under `worktree.copy` and `worktree.link` are taken from the person's checkout into others. They must stay
 * inside it, and must not carry along git's or Umpire's own folders.
 */
export function checkoutPathFault(path: string): string | null {
  if (path.trim() === '') return 'must not be empty'
  if (/\p{Cc}/u.test(path)) return 'must not contain control characters'
  if (/^[/\\~]|^[A-Za-z]:/.test(path)) return 'must be a path relative to the repository'
  const steps = path.split(/[/\\]/)
  if (steps.includes('..')) return 'must not contain ..'
  const parts = stepsOf(path).map((step) => step.toLowerCase())
  if (parts.length === 0) return 'must name something inside the repository'
  // Some file systems take .GIT for .git.
  if (parts.includes('.git')) return 'must not be in .git'
  if (parts[0] === '.umpire') return "must not be in Umpire's own folder"
  return null
}

/** Without `.` steps, doubled and trailing slashes, so that two spellings of one path compare equal. */
export function plainCheckoutPath(path: string): string {
  return stepsOf(path).join('/')
}

/** One path is the other, or lies in the folder that the other is. */
export function overlap(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`)
}

function stepsOf(path: string): string[] {
  return path.split('/').filter((step) => step !== '' && step !== '.')
}
