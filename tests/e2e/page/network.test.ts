import { bubblewrapSandbox } from '@jurist/workspace'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../../packages/jurist/tests/project.js'
import { accessibilityProblems } from './accessibility.js'
import { inBrowser, isWithoutBrowser, startBrowser, type TestBrowser } from './browser.js'
import { openAt, type RunningView, startView } from './jurist-view.js'

const hasLists = await bubblewrapSandbox({ network: { allow: [] } })
  .probe()
  .then(() => true)
  .catch(() => false)

describe.skipIf(isWithoutBrowser || !hasLists)(inBrowser('what the commands of a run asked of the network'), () => {
  let made: Project
  let viewing: RunningView
  let browser: TestBrowser
  let tab: Page
  const problems: string[] = []

  beforeAll(async () => {
    made = project({
      'jurist.config.yaml': `experiments:
  e:
    dataset: [{ id: curious, task: look }, { id: quiet, task: work }]
    agent: { command: [sh, -c, 'if grep -q look; then curl -sS -m 5 https://evil.test/answer; fi; true'] }
    jury: { type: command-succeeds, command: 'true' }
    sandbox: { bubblewrap: { network: { allow: [model.test] } } }
`,
    })
    const { results } = JSON.parse((await made.jurist('run', '--json')).stdout)
    viewing = await startView(made)
    browser = await startBrowser()
    tab = await openAt(browser, viewing.url, `#/runs/${results[0].id}/figures`, problems)
  })
  afterAll(async () => {
    expect(problems).toEqual([])
    await browser?.close()
    await viewing?.stop()
    made?.[Symbol.dispose]()
  })

  test('is a table of hosts, with the trials that were refused', async () => {
    const part = tab.locator('section', { has: tab.getByRole('heading', { name: 'Network' }) })
    await part.getByText('Allowed: model.test.').waitFor()
    expect(await part.locator('tbody tr').allInnerTexts()).toEqual([expect.stringMatching(/^evil\.test\s+0\s+1$/)])
    expect(await part.innerText()).toContain('1 of 2 trials with refused attempts: curious#1')
    expect(await accessibilityProblems(tab)).toEqual([])
    await part.getByRole('link', { name: 'curious#1' }).click()
    await tab.getByText('look').first().waitFor()
    expect(tab.url()).toContain('/items/curious/1')
  })
})
