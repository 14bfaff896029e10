import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../../packages/jurist/tests/project.js'
import { inBrowser, isWithoutBrowser, startBrowser, type TestBrowser } from './browser.js'
import { openAt, type RunningView, startView } from './jurist-view.js'

/** Rules reject every fourth item, so that three judges with scores and a cost judge 45 of 60. */
const config = `import { average, cascade, fail, jury, pass } from 'jurist'
const number = ({ goal }) => Number(/\\d+/.exec(goal)[0])
const graded = (salt) => (context) => {
  const score = ((number(context) * 37 + salt * 17) % 100) / 100
  return (score >= 0.5 ? pass : fail)('graded', { score, costUsd: 0.002 * salt })
}
export default {
  experiments: {
    demo: {
      dataset: Array.from({ length: 60 }, (_, at) => ({ id: 'item-' + at, task: 'Say yes ' + at })),
      agent: async () => ({ status: 'completed', output: { type: 'text', text: 'yes' } }),
      jury: cascade([
        {
          name: 'rules',
          policy: 'reject-on-any-fail',
          jury: jury({ judges: { build: (context) => (number(context) % 4 === 0 ? fail('no build') : pass('built')) } }),
        },
        {
          name: 'meaning',
          policy: 'final',
          jury: jury({
            judges: { clarity: graded(1), depth: graded(2), tone: graded(3) },
            vote: average({ threshold: 0.6 }),
          }),
        },
      ]),
    },
  },
}
`

describe.skipIf(isWithoutBrowser)(inBrowser('the judges of a run'), () => {
  let made: Project
  let browser: TestBrowser
  let viewing: RunningView
  const problems: string[] = []

  beforeAll(async () => {
    made = project({ 'jurist.config.mjs': config })
    await made.jurist('run')
    browser = await startBrowser()
    viewing = await startView(made, 'latest')
  })
  afterAll(async () => {
    await viewing?.stop()
    await browser?.close()
    made?.[Symbol.dispose]()
  })

  const openRun = () => openAt(browser, viewing.url, viewing.url.hash, problems)

  test('which one disagrees most, and where the money went, is one click from the run', async () => {
    const tab = await openRun()
    await tab.getByRole('link', { name: 'Judges' }).click()
    await tab.getByText('Furthest apart: meaning/clarity and meaning/tone.').waitFor()
    const judges = tab.getByRole('region', { name: 'Judges', exact: true })
    const rowOf = async (name: string) => (await judges.getByRole('row', { name }).innerText()).split(/\s+/)
    // Passed, failed, abstained, errors, not reached, only it failed.
    expect((await rowOf('rules/build')).slice(1, 7)).toEqual(['45', '15', '0', '0', '0', '15'])
    expect(await rowOf('meaning/tone')).toContain('$0.27')
    await judges.getByRole('button', { name: 'Cost' }).click()
    await judges.getByRole('button', { name: 'Cost' }).click()
    expect(await judges.getByRole('rowheader').first().innerText()).toBe('meaning/tone')
    expect(new URL(tab.url()).hash).toContain('sort=cost')
    // 45 trials cost $0.54, so 15 more would have cost $0.18.
    await tab.getByText('About $0.18.').waitFor()
    expect(await tab.getByRole('img', { name: /^Scores of meaning\// }).count()).toBe(3)
    expect(problems).toEqual([])
  })

  test('are the same in the terminal and in the Markdown report', async () => {
    const { stdout } = await made.jurist('show', '--judges')
    expect(stdout).toMatch(/^ {2}rules\/build +45 +15 +0 +0 +0 +15 /m)
    expect(stdout).toMatch(/^ {2}meaning +45 +45 +0 +\$0\.54 +\$0\.18 /m)
    expect(stdout).toMatch(/^ {2}meaning\/clarity and meaning\/tone +45 +28\.9 % +-0\.42 +-0\.69 to -0\.16$/m)
    const markdown = await made.jurist('show', '--format', 'markdown')
    expect(markdown.stdout).toContain('## Agreement of judges')
    expect(await made.jurist('show', 'latest', 'item-1', '--judges')).toMatchObject({ code: 2 })
  })

  test('another threshold draws its curve, and the settings are copied as a config', async () => {
    const tab = await openRun()
    await tab.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await tab.getByRole('link', { name: 'What if' }).click()
    const threshold = tab.getByRole('spinbutton', { name: 'Threshold' })
    expect(await threshold.inputValue()).toBe('0.6')
    await threshold.fill('0.3')
    await tab.getByRole('img', { name: /^Pass rate of meaning over its threshold: 75\.0 % at 0,/ }).waitFor()
    await tab.getByRole('button', { name: 'Copy as YAML' }).click()
    await tab.getByText('✓ Copied').waitFor()
    const copied = await tab.evaluate(() => navigator.clipboard.readText())
    expect(copied).toMatch(/^# tier meaning\nvote: \{ type: "average", .*threshold: 0\.3/)
    expect(problems).toEqual([])
  })
})
