import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityProblems } from './accessibility.js'
import { inBrowser, isWithoutBrowser } from './browser.js'
import { type ComparedProject, comparedProject } from './compared-project.js'
import { type ViewedProject, viewProject } from './jurist-view.js'
import { goTo } from './open-page.js'

describe.skipIf(isWithoutBrowser)(inBrowser('the matrix of outputs by variant'), () => {
  let compared: ComparedProject
  let viewed: ViewedProject
  let tab: Page
  const row = (item: string) =>
    tab.getByRole('row').filter({ has: tab.getByRole('rowheader', { name: item, exact: true }) })
  const all = () => `#/outputs/${['plain', 'better', 'wordy'].map(compared.idOf).join('/')}`

  beforeAll(async () => {
    compared = await comparedProject()
    viewed = await viewProject(compared.made, '#/')
    tab = viewed.tab
  })
  afterAll(() => viewed?.end())

  test('is one click from a run, with input, expected output and every output beside each other', async () => {
    await goTo(tab, `#/runs/${compared.idOf('plain')}`)
    await tab.getByRole('link', { name: 'Outputs of all variants' }).click()
    const cells = row('item-3').getByRole('cell')
    await cells.first().waitFor()
    const texts = (await cells.allInnerTexts()).map((text) => text.split('\n').at(-1))
    expect(texts).toEqual([
      'What is 3 + 0?',
      'The answer is 3.',
      'The answer is 4.',
      'The answer is 3.',
      'You asked for a sum. The answer is 3. I am sure.',
    ])
    expect(await accessibilityProblems(tab)).toEqual([])
  })

  test('fetches a page of rows once, opens an output, and Back returns to it', async () => {
    const asked: string[] = []
    tab.on('request', (request) => asked.push(request.url()))
    await goTo(tab, '#/')
    await goTo(tab, all())
    await row('item-0').waitFor()
    const box = tab.getByRole('region', { name: 'Outputs' })
    await box.evaluate((element) => element.scrollTo(0, element.scrollHeight))
    await row('item-59').waitFor()
    expect(asked.filter((url) => url.includes('/outputs/'))).toHaveLength(1)
    const output = row('item-55').getByRole('link', { name: 'The answer is 56.' })
    await output.scrollIntoViewIfNeeded()
    const top = await box.evaluate((element) => element.scrollTop)
    await output.click()
    await tab.getByRole('region', { name: 'Right', exact: true }).getByText('failed').waitFor()
    await tab.goBack()
    await expect.poll(() => output.evaluate((link) => link === document.activeElement)).toBe(true)
    expect(await box.evaluate((element) => element.scrollTop)).toBe(top)
  })

  test('leaves the items whose outcomes differ, and those that are searched for', async () => {
    await goTo(tab, `${all()}?show=differ`)
    await tab.getByText('28 items').waitFor()
    await tab.getByRole('searchbox').fill('item-5')
    await tab.getByText('6 items').waitFor()
    expect(await row('item-51').count()).toBe(1)
    expect(await row('item-52').count()).toBe(0)
  })

  test('does not scroll sideways on a phone', async () => {
    await goTo(tab, all())
    await tab.setViewportSize({ width: 390, height: 844 })
    expect(await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  })
})
