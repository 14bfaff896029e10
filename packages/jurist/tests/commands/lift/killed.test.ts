import { expect, test } from 'vitest'
import { modes, skill, study, twelve } from './study.js'

test('a study that was killed goes on, and none of its trials is lost or doubled', async () => {
  using made = study(twelve, modes('plain').replace('plain]', 'plain], environment: { set: { SLOW: "1" } }'))
  const begun = made.start('lift', 'mark', '--agent', 'plain', '-j', '2')
  await begun.said('is about tasks like these')
  const trials = async () => {
    const runs = await made.results.runs('lift-mark')
    return (await Promise.all(runs.map((id) => made.results.trials('lift-mark', id)))).flat()
  }
  while ((await trials()).length < 6) await new Promise((resolve) => setTimeout(resolve, 50))
  begun.child.kill('SIGKILL')
  await begun.ended
  made.write({ 'mark/SKILL.md': `${skill['mark/SKILL.md']}More.\n` })
  const changed = await made.jurist('lift', 'mark', '--agent', 'plain', '--resume', '--json')
  expect([changed.code, changed.stdout]).toEqual([2, expect.stringContaining('has changed since this study')])
  made.write({ 'mark/SKILL.md': skill['mark/SKILL.md'] })
  const { code, stdout } = await made.jurist('lift', 'mark', '--agent', 'plain', '--resume', '--json')
  const { with: arm, without } = JSON.parse(stdout)
  expect([code, arm.trials, without.trials]).toEqual([0, 36, 36])
  expect(new Set(await trials()).size).toBe(72)
})
