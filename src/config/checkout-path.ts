/**
 * Umpire copies or links the paths under `worktree.copy` and `worktree.link` from the person's checkout into worktrees.
 * They must stay inside the checkout and must not include git's or Umpire's own folders.
 */
export function checkoutPathFault(path: string): string | null {
  if (path.trim() === '') return 'must not be empty'
  if (/\p{Cc}/u.test(path)) return 'must not contain control characters'
  if (/^[/\\~]|^[A-Za-z]:/.test(path)) return 'must be a path relative to the repository'
  const steps = path.split(/[/\\]/)
  if (steps.includes('..')) return 'must not contain ..'
  const parts = stepsOf(path).map((step) => step.toLowerCase())
  if (parts.length === 0) return 'must name something inside the repository'
  // On some file systems .GIT is the same as .git.
  if (parts.includes('.git')) return 'must not be in .git'
  if (parts[0] === '.umpire') return "must not be in Umpire's own folder"
  return null
}

/** Removes `.` steps and extra slashes, so that two spellings of one path compare equal. */
export function plainCheckoutPath(path: string): string {
  return stepsOf(path).join('/')
}

/** Whether the paths are equal or one is inside the other. */
export function overlap(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`)
}

function stepsOf(path: string): string[] {
  return path.split('/').filter((step) => step !== '' && step !== '.')
}
