import { freeze } from '../../freeze.js'

const verifyLine = /^[ \t]*(?:[-*][ \t]+)?(?:\[[ xX]\][ \t]+)?VERIFY:(?<text>.*)$/gmu

/**
 * The criteria that a plan states: what follows `VERIFY:` on lines of its own, indented or not, after a list mark (`-`,
 * `*`) and a checkbox or not. Blank ones and repetitions are left out, the order is kept.
 *
 * @example
 * verifyLines('1. Move the parser\n- [ ] VERIFY: no caller imports the old path') // ['no caller imports the old path']
 */
export function verifyLines(plan: string): readonly string[] {
  const texts = [...plan.matchAll(verifyLine)].map(({ groups }) => (groups?.['text'] ?? '').trim())
  return freeze([...new Set(texts.filter((text) => text !== ''))])
}
