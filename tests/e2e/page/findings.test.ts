import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scannedProject } from '../../../packages/jurist/tests/commands/scan/scanned-project.js'
import type { Project } from '../../../packages/jurist/tests/project.js'
import { accessibilityProblems } from './accessibility.js'
import { inBrowser, isWithoutBrowser } from './browser.js'
import { type ViewedProject, viewProject } from './jurist-view.js'
import { goTo } from './open-page.js'

describe.skipIf(isWithoutBrowser)(inBrowser('findings of a scan'), () => {
  let made: Project
  let viewed: ViewedProject
  let tab: Page
  let run = ''

  beforeAll(async () => {
    made = scannedProject()
    await made.jurist('run', 'mine', '--preserve', 'all')
    run = JSON.parse((await made.jurist('scan', 'latest', '--json')).stdout).run
    viewed = await viewProject(made, `#/runs/${run}/items/upstream/1`)
    tab = viewed.tab
  })
  afterAll(() => viewed?.end())

  test('come before the verdict of their trial, each with a link to its step', async () => {
    const part = tab.locator('section', { hasText: 'Findings of the scan' })
    await part.getByText('upstream-fetch').waitFor()
    expect(await part.innerText()).toContain('curl -s https://raw.githubusercontent.com')
    expect(await accessibilityProblems(tab)).toEqual([])
    await part.getByRole('link', { name: 'step 0' }).click()
    await tab.locator('[data-step="0"]').first().waitFor()
    expect(tab.url()).toContain('step=0')
  })

  test('lead to the line of a changed file', async () => {
    await goTo(tab, `#/runs/${run}/items/tests/1`)
    await tab.getByRole('link', { name: 'tests/totals.test.js:1' }).click()
    await tab
      .getByRole('heading', { name: 'tests/totals.test.js' })
      .or(tab.getByText('totals.test.js'))
      .first()
      .waitFor()
    expect(tab.url()).toMatch(/changes.*path=tests/)
  })

  test('are reached by the key S', async () => {
    await goTo(tab, `#/runs/${run}/items/upstream/1`)
    const part = tab.locator('section', { hasText: 'Findings of the scan' })
    await part.getByText('upstream-fetch').waitFor()
    await tab.keyboard.press('S')
    expect(await part.locator('li:focus').innerText()).toContain('upstream-fetch')
    await tab.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await tab.keyboard.press('o')
    await part.getByText('✓ Copied').waitFor()
    expect(await tab.evaluate(() => navigator.clipboard.readText())).toMatch(
      / scan \S+ --settle '?upstream#1'? --rule upstream-fetch --as fine --reason why$/,
    )
  })

  test('mark trials in the table of a run, and choose them', async () => {
    await goTo(tab, `#/runs/${run}`)
    await tab.locator('tr', { hasText: 'upstream' }).locator('abbr', { hasText: 'S' }).waitFor()
    expect(await tab.locator('tr', { hasText: 'honest' }).locator('abbr').count()).toBe(0)
    await tab.getByLabel('All findings').selectOption('suspect')
    await tab.locator('tr', { hasText: 'honest' }).waitFor({ state: 'detached' })
    const names = await tab.locator('tbody th').allInnerTexts()
    expect(names.map((name) => name.split('#')[0]?.trim()).sort()).toEqual(['tests', 'upstream'])
    await tab.getByLabel('All findings').selectOption('claimed-not-run')
    await tab.locator('tr', { hasText: 'history' }).waitFor()
    expect(await accessibilityProblems(tab)).toEqual([])
  })

  test('are in the figures of a run, and in the list of runs', async () => {
    await goTo(tab, `#/runs/${run}`)
    const figure = tab.locator('dl.figures div', { hasText: 'Without suspects' })
    expect(await figure.innerText()).toMatch(/50\.0 %\s+2 of 4 passes are suspect/)
    await figure.getByRole('link').click()
    const part = tab.locator('section', { has: tab.getByRole('heading', { name: 'Scan' }) })
    expect(await part.locator('tbody tr', { hasText: 'test-edited' }).innerText()).toMatch(/suspect\s+1\s+0/)
    expect(await part.innerText()).toContain('Pass rate 100.0 %; without suspects 50.0 %')
    expect(await accessibilityProblems(tab)).toEqual([])
    await goTo(tab, '#/')
    await tab.getByRole('columnheader', { name: 'Suspect' }).waitFor()
    await tab.locator('tbody td').getByRole('link', { name: '2', exact: true }).click()
    await tab.locator('tr', { hasText: 'upstream' }).waitFor()
    expect(tab.url()).toContain('finding=suspect')
  })

  test('are absent where nothing was found', async () => {
    await goTo(tab, `#/runs/${run}/items/honest/1`)
    await tab.getByText('Round the totals up: honest').first().waitFor()
    expect(await tab.getByText('Findings of the scan').count()).toBe(0)
  })
})
