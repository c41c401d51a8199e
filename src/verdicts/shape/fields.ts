/**
 * Reads the keys of one JSON object by type and collects their problems. `null` counts as a missing key, except for
 * required keys, because models write null for keys that they have nothing to say about.
 */
export class Fields {
  readonly problems: string[]
  readonly #object: Record<string, unknown>
  readonly #path: string

  private constructor(object: Record<string, unknown>, path: string, problems: string[]) {
    this.#object = object
    this.#path = path
    this.problems = problems
  }

  static of(value: unknown, path: string, problems: string[]): Fields | null {
    return isRecord(value) ? new Fields(value, path, problems) : null
  }

  keys(): string[] {
    return Object.keys(this.#object)
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#object, key)
  }

  isNumber(key: string): boolean {
    return typeof this.#get(key) === 'number'
  }

  text(key: string, need: Need = 'optional'): string | null {
    const value = this.#get(key)
    if (typeof value === 'string') return value
    return value === null && need === 'optional' ? null : this.#wrong(key, 'a text')
  }

  flag(key: string, need: Need = 'optional'): boolean | null {
    const value = this.#get(key)
    if (typeof value === 'boolean') return value
    return value === null && need === 'optional' ? null : this.#wrong(key, 'true or false, without quotes')
  }

  percentage(key: string): number | null {
    const value = this.#get(key)
    if (typeof value === 'number' && value >= 0 && value <= 100) return value
    return this.#wrong(key, 'a number from 0 to 100')
  }

  /** A whole number from 1 on. 0 counts as missing, because some agents use it as the line of an issue with a whole file. */
  ordinal(key: string): number | null {
    const value = this.#get(key)
    if (value === null || value === 0) return null
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value
    return this.#wrong(key, 'a whole number of at least 1')
  }

  /** A name is a text or a whole number. */
  name(key: string): string | null {
    const value = this.#get(key)
    if (value === null || value === '') return null
    if (typeof value === 'string' || Number.isSafeInteger(value)) return String(value)
    return this.#wrong(key, 'a text or a whole number')
  }

  choice<T extends string>(key: string, choices: readonly T[]): T | null {
    const value = this.#get(key)
    if (value === null) return null
    return choices.find((choice) => choice === value) ?? this.#wrong(key, choices.join(' or '))
  }

  object(key: string): Fields | null {
    const value = this.#get(key)
    if (value === null) return null
    const inner = Fields.of(value, `${this.#path}${key}.`, this.problems)
    return inner ?? this.#wrong(key, 'an object')
  }

  list(key: string): unknown[] | null {
    const value = this.#get(key)
    if (value === null || Array.isArray(value)) return value
    return this.#wrong(key, 'a list')
  }

  texts(key: string): string[] {
    const list = this.list(key) ?? []
    const texts = list.filter((entry) => typeof entry === 'string')
    if (texts.length < list.length) this.#wrong(key, 'a list of texts')
    return texts
  }

  /** Which of two names for the same thing is present. */
  oneOf(key: string, synonym: string): string | null {
    if (this.has(key) && this.has(synonym)) {
      return this.refuse(`${key} and ${synonym} are two names for one thing; use ${key}`)
    }
    return this.has(key) ? key : this.has(synonym) ? synonym : null
  }

  refuse(problem: string): null {
    this.problems.push(`${this.#path}${problem}`)
    return null
  }

  #get(key: string): unknown {
    return this.has(key) ? (this.#object[key] ?? null) : null
  }

  #wrong(key: string, wanted: string): null {
    return this.refuse(`${key} must be ${wanted}`)
  }
}

type Need = 'optional' | 'required'

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
