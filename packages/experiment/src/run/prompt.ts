import { JuristError } from '@jurist/core'
import { nearestNames } from '@jurist/kit/did-you-mean'
import type { DatasetItem } from '../dataset/item.js'
import { type DatasetProblem, refuseErrors } from '../dataset/problem.js'
import type { ExperimentIssue } from '../errors.js'

/** The default template: the task itself. */
export const defaultTemplate = '{{task}}'

type PromptItem = Omit<DatasetItem, 'hash'>

/** The names that every item has. */
const values: { readonly [name: string]: (item: PromptItem) => string } = {
  task: ({ task }) => task,
  knowledgeRefs: ({ knowledgeRefs }) => knowledgeRefs.join('\n'),
  id: ({ id }) => id,
  slug: ({ slug }) => slug,
  bucket: ({ bucket }) => bucket,
  taskType: ({ taskType }) => taskType,
  tags: ({ tags }) => tags.join(', '),
}
const metadataPrefix = 'metadata.'

/**
 * Fills a template in one pass: a value that looks like a name is not filled again. Names in double braces: `task`,
 * `knowledgeRefs` (one a line), `id`, `slug`, `bucket`, `taskType`, `tags` (with commas) and `metadata.<key>`. `\{{` writes
 * two braces. Metadata that is not a string is written as JSON.
 *
 * @throws `experiment-invalid` for an unknown name, with the nearest known one, and for unclosed braces;
 * `dataset-invalid` for a metadata key that the item does not have
 */
export function renderPrompt(template: string, item: DatasetItem): string {
  const issues = templateIssues(template, 'prompt')
  if (issues.length > 0) {
    const lines = issues.map(({ problem, remedy }) => `${problem} ${remedy}`)
    throw new JuristError('experiment-invalid', `The prompt cannot be filled: ${lines.join(' ')}`, { issues })
  }
  refuseErrors(item.id, promptProblems(template, item))
  return templateParts(template)
    .map((part) => ('text' in part ? part.text : 'name' in part ? valueOfName(part.name, item) : ''))
    .join('')
}

/** The issues of a template, whatever the item; `[]` if there are none. `field` is the option that it came from. */
export function templateIssues(template: string, field: string): readonly ExperimentIssue[] {
  return templateParts(template).flatMap((part) => {
    if ('text' in part) return []
    if ('unclosed' in part)
      return [{ field, problem: 'has "{{" without "}}".', remedy: 'Close it, or write \\{{ for two braces.' }]
    const { name } = part
    const isMetadata = name.startsWith(metadataPrefix) && name !== metadataPrefix
    if (isMetadata || Object.hasOwn(values, name)) return []
    return [{ field, problem: `{{${name}}} is not a known name.`, remedy: remedyFor(name) }]
  })
}

function remedyFor(name: string): string {
  const known = [...Object.keys(values), 'metadata.<key>']
  const [near] = nearestNames(name, known)
  const hint = near === undefined ? `The names are ${known.join(', ')}.` : `Did you mean {{${near}}}?`
  return `${hint} To write two braces, use \\{{.`
}

/** The metadata that a template uses and an item lacks. */
export function promptProblems(template: string, item: PromptItem): readonly DatasetProblem[] {
  const missing = templateParts(template).flatMap((part) => {
    if (!('name' in part) || !part.name.startsWith(metadataPrefix)) return []
    const key = part.name.slice(metadataPrefix.length)
    return Object.hasOwn(item.metadata, key) ? [] : [key]
  })
  const file = item.path === null ? item.id : `${item.path}/item.json`
  return [...new Set(missing)].map((key) => ({
    file,
    item: item.id,
    field: `${metadataPrefix}${key}`,
    problem: 'is missing, but the prompt uses it.',
    remedy: `Add it to the item, or remove {{${metadataPrefix}${key}}} from the prompt.`,
    severity: 'error',
  }))
}

function valueOfName(name: string, item: PromptItem): string {
  if (!name.startsWith(metadataPrefix)) return values[name]?.(item) ?? ''
  const value = item.metadata[name.slice(metadataPrefix.length)]
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Plain text, two escaped braces, unclosed braces, or a name. */
type TemplatePart = { readonly text: string } | { readonly unclosed: true } | { readonly name: string }

const token = /(?<escaped>\\\{\{)|\{\{(?<name>[^{}]*)\}\}|(?<open>\{\{)/g

function templateParts(template: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = []
  let end = 0
  for (const match of template.matchAll(token)) {
    if (match.index > end) parts.push({ text: template.slice(end, match.index) })
    end = match.index + match[0].length
    const name = match.groups?.name
    if (name !== undefined) parts.push({ name: name.trim() })
    else parts.push(match.groups?.open === undefined ? { text: '{{' } : { unclosed: true })
  }
  return [...parts, { text: template.slice(end) }]
}
