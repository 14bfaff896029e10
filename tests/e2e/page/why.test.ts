import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { whyProject } from '../../../packages/jurist/tests/commands/show/why-project.js'
import type { Project } from '../../../packages/jurist/tests/project.js'
import { accessibilityProblems } from './accessibility.js'
import { inBrowser, isWithoutBrowser } from './browser.js'
import { type ViewedProject, viewProject } from './jurist-view.js'
import { goTo } from './open-page.js'

describe.skipIf(isWithoutBrowser)(inBrowser('why a trial did not pass'), () => {
  let made: Project
  let viewed: ViewedProject
  let tab: Page
  let run = ''

  beforeAll(async () => {
    made = whyProject()
    run = JSON.parse((await made.jurist('run', 'mine', '--json')).stdout).results[0].id
    viewed = await viewProject(made, `#/runs/${run}/items/lost/1`)
    tab = viewed.tab
  })
  afterAll(() => viewed?.end())

  test('is below its verdict, with what to do', async () => {
    const part = tab.locator('section', { has: tab.getByRole('heading', { name: 'Why', exact: true }) })
    await part.getByText('The same error 3 times: ENOENT: package.json').waitFor()
    expect(await part.innerText()).toContain('Tell the agent how to deal with the error.')
    expect(await accessibilityProblems(tab)).toEqual([])
  })

  test('is absent where no rule explains it, and where it passed', async () => {
    for (const item of ['unknown', 'good']) {
      await goTo(tab, `#/runs/${run}/items/${item}/1`)
      await tab.getByRole('heading', { name: `${item}#1` }).waitFor()
      await tab.getByText('Done.').first().waitFor()
      expect(await tab.getByRole('heading', { name: 'Why', exact: true }).count()).toBe(0)
    }
  })
})
