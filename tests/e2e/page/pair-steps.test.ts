import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { project } from '../../../packages/jurist/tests/project.js'
import { accessibilityProblems } from './accessibility.js'
import { inBrowser, isWithoutBrowser } from './browser.js'
import { type ViewedProject, viewProject } from './jurist-view.js'
import { goTo } from './open-page.js'

/** Two agents that answer alike, one of which deploys instead of running the tests. */
const config = `
import { outputText } from 'jurist'
const using = (...names) => async ({ record }) => {
  names.forEach((name, index) => record({ type: 'tool-call', id: String(index), name, input: { path: name + '.js' } }))
  return { status: 'completed', output: 'right' }
}
export default {
  experiments: {
    tools: {
      dataset: [{ id: 'one', task: 'Go.' }],
      agent: using('read', 'run_tests'),
      jury: outputText({ equals: 'right' }),
      variants: { main: {}, same: {}, branch: { agent: using('read', 'deploy') } },
    },
  },
}
`

describe.skipIf(isWithoutBrowser)(inBrowser('the steps of two trials'), () => {
  let viewed: ViewedProject
  let tab: Page
  let runs: Readonly<Record<string, string>> = {}
  const steps = () => tab.getByRole('region', { name: 'Steps side by side' })
  const pair = (other: string) => `#/compare/${runs['main']}/${runs[other]}/items/one/journal`

  beforeAll(async () => {
    const made = project({ 'jurist.config.mjs': config })
    await made.jurist('run')
    const listed: readonly { id: string; variant: string }[] = JSON.parse((await made.jurist('list', '--json')).stdout)
    runs = Object.fromEntries(listed.map(({ variant, id }) => [variant, id]))
    viewed = await viewProject(made)
    tab = viewed.tab
  })
  afterAll(() => viewed?.end())

  test('are side by side, and what only one agent did is marked by text', async () => {
    await goTo(tab, pair('branch'))
    await steps().getByText('run_tests').waitFor()
    const lines = await steps().innerText()
    expect(lines).toMatch(/− 2\s+run_tests/)
    expect(lines).toMatch(/\+ 2\s+deploy/)
    expect(await accessibilityProblems(tab)).toEqual([])
  })

  test('are said to be the same where they are', async () => {
    await goTo(tab, pair('same'))
    await steps().getByText('Both agents called the same tools').waitFor()
  })
})
