import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { greeting, study } from '../../../packages/jurist/tests/commands/lift/study.js'
import type { Project } from '../../../packages/jurist/tests/project.js'
import { accessibilityProblems } from './accessibility.js'
import { inBrowser, isWithoutBrowser } from './browser.js'
import { type OpenedPage, openPage } from './open-page.js'

describe.skipIf(isWithoutBrowser)(inBrowser('the page of a study of a skill'), () => {
  let [made, page, session, headline]: [Project, OpenedPage, string, string] = [] as never

  beforeAll(async () => {
    const assertions = ['The output contains "~mark~"', 'The output contains "Hello"', 'The output contains "Bye"']
    made = study([...Array.from({ length: 10 }, (_, at) => greeting(at)), greeting(10, { assertions })])
    const { stdout } = await made.jurist('lift', 'mark', '--agent', 'plain', '--repeat', '1', '--json')
    ;({ session, headline } = JSON.parse(stdout))
    page = await openPage(await made.results.store())
  })
  afterAll(async () => {
    await page?.[Symbol.asyncDispose]()
    made?.[Symbol.dispose]()
  })

  test('says what the command says', async () => {
    const tab = await page.open(`#/sessions/lift-mark/${session}`)
    await tab.getByRole('heading', { name: 'Does it help?' }).waitFor()
    await tab.getByText(headline, { exact: true }).waitFor()
    expect(headline).toMatch(/^Helps\./)
    await tab.getByText('Assertions that tell nothing: 1 passes in every trial of both arms, 1 in none.').waitFor()
    await tab.getByText('Cost, turns and tokens: unknown.').waitFor()
    expect(await tab.getByRole('rowheader').allTextContents()).toEqual(
      expect.arrayContaining([expect.stringContaining('without'), expect.stringContaining('with')]),
    )
  })

  test.each([
    [390, 'light'],
    [390, 'dark'],
    [1_280, 'dark'],
  ] as const)('reads well at %i px, %s', async (width, theme) => {
    const tab = await page.open(`#/sessions/lift-mark/${session}`, { width, theme })
    await tab.getByText(headline, { exact: true }).waitFor()
    expect(await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    expect(await accessibilityProblems(tab)).toEqual([])
    expect(page.problems).toEqual([])
  })
})
