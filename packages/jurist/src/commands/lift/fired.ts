import type { JournalEvent } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { programName, shellParts } from '@jurist/experiment/internal'
import type { Subject } from './subject.js'

const readers = new Set(['cat', 'sed', 'head', 'tail', 'less', 'more', 'bat', 'awk'])

/**
 * Whether the journal of an agent has a call that used the subject: `undefined` without calls of tools or a model. Words of the
 * agent do not count, nor does a call that failed, nor what follows a skill that the agent was refused.
 */
export function isFired(events: readonly JournalEvent[], subject: Subject): boolean | undefined {
  if (!events.some(({ type }) => type === 'tool-call' || type === 'model-call')) return undefined
  const failed = new Set(
    events.flatMap((event) => (event.type === 'tool-result' && event.failed === true ? [event.id] : [])),
  )
  for (const event of events) {
    if (event.type !== 'tool-call' || !isUse(event, subject)) continue
    if (!failed.has(event.id)) return true
    if (isSkillTool(event.name)) return false
  }
  return false
}

const isSkillTool = (name: string) => name === 'Skill' || name === 'activate_skill'

function isUse({ name, input }: Extract<JournalEvent, { type: 'tool-call' }>, subject: Subject): boolean {
  const given = isPlainObject(input) ? (input as Readonly<Record<string, unknown>>) : {}
  switch (subject.kind) {
    case 'file':
      return false
    case 'mcp':
      return Object.keys(subject.servers).some((server) =>
        [`mcp__${server}__`, `${server}.`].some((prefix) => name.startsWith(prefix)),
      )
    case 'plugin':
      return (
        name.startsWith(`mcp__plugin_${subject.name}_`) ||
        ['skill', 'command', 'subagent_type'].some((key) =>
          String(given[key] ?? '')
            .replace(/^\//, '')
            .startsWith(`${subject.name}:`),
        )
      )
    case 'skill':
      if (isSkillTool(name)) return [given['skill'], given['name'], given['command']].includes(subject.name)
      return isReading(given, subject.name)
    default:
      return subject.kind satisfies never
  }
}

/** Whether a call reads the instructions of a skill, or runs one of its scripts. */
function isReading(input: Readonly<Record<string, unknown>>, skill: string): boolean {
  const instructions = `${skill}/SKILL.md`
  const paths = ['file_path', 'filePath', 'path', 'absolute_path'].map((key) => input[key])
  if (paths.some((path) => typeof path === 'string' && path.endsWith(`/${instructions}`))) return true
  const given = input['command'] ?? input['cmd']
  const script = Array.isArray(given) ? given.at(-1) : given
  if (typeof script !== 'string') return false
  const at = [input['workdir'], input['cwd']].find((place) => typeof place === 'string') ?? ''
  let place = String(at)
  return shellParts(script).parts.some(({ words: [program = '', ...words] }) => {
    if (program === 'cd') place = words[0] ?? ''
    const isSkillPath = (word: string, path: string) =>
      word.includes(`${skill}/${path}`) || (place.replace(/\/$/, '').endsWith(`/${skill}`) && word.startsWith(path))
    if (readers.has(programName(program))) return words.some((word) => isSkillPath(word, 'SKILL.md'))
    return [program, ...words].some((word) => isSkillPath(word.replace(/^\.\//, ''), 'scripts/'))
  })
}
