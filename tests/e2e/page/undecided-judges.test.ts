import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../../packages/jurist/tests/project.js'
import { inBrowser, isWithoutBrowser } from './browser.js'
import { type ViewedProject, viewProject } from './jurist-view.js'
import { goTo } from './open-page.js'

/** A jury of which one judge abstains of every trial, and a session in which it does so in one variant. */
const files = {
  'jurist.config.mjs': `import { abstain, consensus, fail, jury, pass } from 'jurist'
const faithful = ({ agentOutput }) =>
  agentOutput.text === 'prose' ? abstain('the answer contains no JSON', { metadata: { unread: 'none' } }) : pass('supported')
const vote = jury({ judges: { faithful, correct: () => pass('right') }, vote: consensus() })
const message = 'the tests cannot fail in this workspace'
const hidden = ({ agentOutput }) =>
  agentOutput.text === 'forged' ? fail(message, { checks: [{ name: 'canary', passed: false, message }] }) : pass('passed')
const dataset = [{ id: 'one', task: 'x' }, { id: 'two', task: 'x' }]
export default {
  experiments: {
    answers: { dataset, agent: async () => 'prose', jury: vote },
    pairs: { dataset, agent: async () => 'json', jury: vote, variants: { v1: {}, v2: { agent: async () => 'prose' } } },
    tests: { dataset, agent: async () => 'right', jury: hidden, variants: { v1: {}, v2: { agent: async () => 'forged' } } },
  },
}
`,
}

describe.skipIf(isWithoutBrowser)(inBrowser('a judge that never judged'), () => {
  let made: Project
  let viewed: ViewedProject
  let tab: Page
  let run = ''

  beforeAll(async () => {
    made = project(files)
    expect((await made.jurist('run', 'answers')).code).toBe(1)
    expect((await made.jurist('run', 'pairs', '--session', 'both')).code).toBe(1)
    expect((await made.jurist('run', 'tests', '--session', 'forged')).stdout).toContain('could not fail')
    run = JSON.parse((await made.jurist('show', 'answers', '--json')).stdout).id
    viewed = await viewProject(made, `#/runs/${run}`)
    tab = viewed.tab
  })
  afterAll(() => viewed?.end())

  const said = 'faithful never judged: 2 of 2 abstained (the answer contains no JSON)'

  test('is the first line of its run, with the remedy', async () => {
    const line = tab.getByText(said)
    await line.waitFor()
    const [main = ''] = (await tab.locator('main').innerText()).trim().split('\n')
    expect(main).toBe(said)
    await tab.getByText('To allow it: "allowAbstain: [faithful]".').waitFor()
  })

  test('keeps its column, which says what it said', async () => {
    await tab.getByRole('columnheader', { name: 'faithful' }).waitFor()
    const row = tab.getByRole('row', { name: /^one/ })
    expect(await row.innerText()).toMatch(/abstain$/)
  })

  test('is the first line of its session, with the variant', async () => {
    await goTo(tab, '#/sessions/pairs/both')
    await tab.getByText(`v2: ${said}`).waitFor()
  })

  test('tests that could not fail are the first line of their session, and of their run', async () => {
    const cannot = '2 trials were judged fail because their tests could not fail'
    await goTo(tab, '#/sessions/tests/forged')
    await tab.getByText(`v2: ${cannot}`).waitFor()
    const { variants } = JSON.parse((await made.jurist('show', 'forged', '--json')).stdout)
    await goTo(tab, `#/runs/${variants.find(({ variant }: { variant: string }) => variant === 'v2').id}`)
    await tab.getByText(cannot, { exact: true }).waitFor()
  })
})
