import { JuristError } from '@jurist/core'
import { isPlainObject, printed } from '@jurist/core/internal'
import type { DatasetEntry, UnhashedItem } from './item.js'
import { itemStatuses } from './item.js'
import { nearestNames } from './nearest.js'

/** An entry, or the item it became. */
type Candidate = DatasetEntry & Partial<Pick<UnhashedItem, 'tags' | 'noChange'>>

/** Whether a candidate fits; `undefined`: the item must be read to know. */
type Test = (candidate: Candidate) => boolean | undefined

/** A filter that was read: its test, and whether a status occurs in it. */
export interface FilterRule {
  readonly test: Test
  readonly namesStatus: boolean
}

const everything: FilterRule = { test: () => true, namesStatus: false }

/** Reads a filter; throws `option-invalid` when it is malformed. `place` names it in the message. */
export function readFilter(filter: unknown, place = 'filter'): FilterRule {
  if (!isPlainObject(filter)) return refuse(place, `must be an object, not ${printed(filter)}`)
  const given = Object.entries(filter).filter(([, value]) => value !== undefined)
  const operator = given.find(([key]) => key === 'and' || key === 'or' || key === 'not')
  if (operator === undefined) return all(given.map(([key, value]) => criterion(key, value, place)))
  const [key, operand] = operator
  if (given.length > 1) return refuse(place, `has "${key}" beside other keys; put those into a filter of their own`)
  if (key === 'not') return negated(readFilter(operand, `${place}.not`))
  if (!Array.isArray(operand)) return refuse(`${place}.${key}`, `must be a list of filters, not ${printed(operand)}`)
  const rules = Array.from(operand, (entry, index) => readFilter(entry, `${place}.${key}[${index}]`))
  return key === 'and' ? all(rules) : any(rules)
}

function all(rules: readonly FilterRule[]): FilterRule {
  const [only] = rules
  if (only === undefined) return everything
  if (rules.length === 1) return only
  return {
    namesStatus: rules.some((rule) => rule.namesStatus),
    test: (candidate) => {
      let known = true
      for (const { test } of rules) {
        const answer = test(candidate)
        if (answer === false) return false
        if (answer === undefined) known = false
      }
      return known ? true : undefined
    },
  }
}

function any(rules: readonly FilterRule[]): FilterRule {
  // By De Morgan; of no filters at all none fits.
  return negated(all(rules.map(negated)))
}

function negated({ test, namesStatus }: FilterRule): FilterRule {
  return {
    namesStatus,
    test: (candidate) => {
      const answer = test(candidate)
      return answer === undefined ? undefined : !answer
    },
  }
}

const criteria = ['id', 'slug', 'bucket', 'tags', 'taskType', 'noChange', 'status']

function criterion(key: string, value: unknown, place: string): FilterRule {
  const at = `${place}.${key}`
  switch (key) {
    case 'id':
    case 'slug':
    case 'bucket':
    case 'taskType': {
      const wanted = new Set(oneOrMore(value, at))
      return { namesStatus: false, test: (candidate) => wanted.has(candidate[key]) }
    }
    case 'tags': {
      if (!isTexts(value)) return refuse(at, `must be a list of texts, not ${printed(value)}`)
      if (value.length === 0) return everything
      const wanted = [...value]
      return { namesStatus: false, test: ({ tags }) => tags && wanted.every((tag) => tags.includes(tag)) }
    }
    case 'noChange': {
      if (typeof value !== 'boolean') return refuse(at, `must be true or false, not ${printed(value)}`)
      return { namesStatus: false, test: ({ noChange }) => (noChange === undefined ? undefined : noChange === value) }
    }
    case 'status':
      return { namesStatus: true, test: statusTest(value, at) }
    default: {
      const [near] = nearestNames(key, [...criteria, 'and', 'or', 'not'])
      const hint = near === undefined ? `the criteria are ${criteria.join(', ')}` : `did you mean "${near}"?`
      return refuse(at, `is no criterion; ${hint}`)
    }
  }
}

function statusTest(value: unknown, place: string): Test {
  if (value === 'any') return () => true
  const wanted = oneOrMore(value, place)
  const unknown = wanted.find((status) => !itemStatuses.some((known) => known === status))
  if (unknown !== undefined)
    return refuse(place, `has the status ${printed(unknown)}; use ${itemStatuses.join(', ')} or (alone) "any"`)
  return ({ status }) => wanted.includes(status)
}

function oneOrMore(value: unknown, place: string): readonly string[] {
  if (typeof value === 'string') return [value]
  if (!isTexts(value)) return refuse(place, `must be a text or a list of texts, not ${printed(value)}`)
  return value.length > 0 ? [...value] : refuse(place, 'is an empty list; leave it out, or name at least one')
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && Array.from(value).every((entry) => typeof entry === 'string')
}

function refuse(place: string, problem: string): never {
  throw new JuristError('option-invalid', `${place} ${problem}.`, { option: place })
}
