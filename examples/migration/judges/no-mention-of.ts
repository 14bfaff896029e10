import type { Check, Judge } from 'jurist'
import { fail, pass } from 'jurist'
import { javaSources } from '../java-sources.js'

/**
 * Passes when no Java source names one of the packages: not in an import, not as a full name, not in a comment. One
 * failed check for each line that does.
 *
 * @example
 * noMentionOf('javax.servlet', 'javax.persistence')
 */
export function noMentionOf(...packages: readonly string[]): Judge {
  return async function noMentionOf({ workspace }) {
    const sources = await javaSources(workspace)
    if (sources.length === 0) return fail('there is no Java source')
    const checks: Check[] = []
    for (const path of sources) checks.push(...mentions(path, await workspace.read(path), packages))
    const [first] = checks
    return first === undefined ? pass(`none of ${packages.join(', ')} is named`) : fail(first.message, { checks })
  }
}

function mentions(path: string, text: string, packages: readonly string[]): readonly Check[] {
  return text.split('\n').flatMap((content, index): readonly Check[] => {
    const name = packages.find((name) => content.includes(`${name}.`))
    if (name === undefined) return []
    const line = index + 1
    return [{ name, passed: false, message: `${path}:${line} still names ${name}`, location: { path, line } }]
  })
}
