import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inBrowser, isWithoutBrowser } from './browser.js'
import { type ComparedProject, comparedProject } from './compared-project.js'
import { type ViewedProject, viewProject } from './jurist-view.js'
import { goTo } from './open-page.js'

describe.skipIf(isWithoutBrowser)(inBrowser('two trials side by side'), () => {
  let compared: ComparedProject
  let viewed: ViewedProject
  let tab: Page
  const place = (part = '') => `#/compare/${compared.idOf('plain')}/${compared.idOf('better')}${part}`
  const side = (name: 'Left' | 'Right') => tab.getByRole('region', { name, exact: true })
  const hash = () => tab.evaluate(() => location.hash)

  beforeAll(async () => {
    compared = await comparedProject()
    viewed = await viewProject(compared.made, '#/')
    tab = viewed.tab
  })
  afterAll(() => viewed?.end())

  test('"plain passes, better fails" is two clicks from the comparison, and Back returns to the row', async () => {
    await goTo(tab, place())
    await tab.getByRole('button', { name: 'regressed 8' }).click()
    await tab.waitForFunction(() => location.hash.includes('change=regressed'))
    const row = tab.getByRole('link', { name: 'item-40', exact: true })
    await row.click()
    await side('Left').getByText('passed').waitFor()
    await side('Right').getByText('failed').waitFor()
    await tab.getByText('6 of 8').waitFor()
    await tab.goBack()
    await expect.poll(() => row.evaluate((link) => link === document.activeElement)).toBe(true)
    expect(await hash()).toContain('change=regressed')
  })

  test('counts by pass rate add up to the banner', async () => {
    await goTo(tab, place())
    await tab.getByText('16 items better, 8 worse, 36 the same').waitFor()
    for (const name of ['all 60', 'regressed 8', 'improved 16', 'unchanged 36'])
      await tab.getByRole('button', { name, exact: true }).waitFor()
  })

  test('every item leads to its trials, and j and k go through the filtered list', async () => {
    await goTo(tab, place('?change=unchanged&q=item-1'))
    await expect.poll(() => tab.locator('tbody').first().getByRole('row').count()).toBe(8)
    await tab.getByRole('link', { name: 'item-1', exact: true }).click()
    await tab.getByText('1 of 8').waitFor()
    await tab.keyboard.press('j')
    await tab.getByText('2 of 8').waitFor()
    await tab.keyboard.press(']')
    await tab.getByRole('link', { name: 'Left against right' }).waitFor()
    await tab.keyboard.press('j')
    await tab.getByText('3 of 8').waitFor()
    expect(await hash()).toContain('/changes?change=unchanged&items=item-1')
    await tab.keyboard.press('k')
    await tab.getByText('2 of 8').waitFor()
    await tab.keyboard.press('u')
    await tab.getByRole('button', { name: 'unchanged 36' }).waitFor()
    expect(await hash()).toContain('?change=unchanged&q=item-1')
  })

  test('outputs are compared word by word, with each other and with the expected output', async () => {
    await goTo(tab, place('/items/item-3'))
    await tab.locator('.lines.sides del', { hasText: '4' }).waitFor()
    await tab.locator('.lines.sides ins', { hasText: '3' }).waitFor()
    await tab.getByText('What is 3 + 0?', { exact: true }).waitFor()
    await tab.getByRole('link', { name: 'The expected output' }).click()
    await tab.getByRole('region', { name: 'Expected and left output' }).waitFor()
    await tab.getByText('Both are the same.').waitFor()
    await tab.getByRole('rowheader', { name: 'judge' }).waitFor()
  })

  test('both transcripts are one click from the comparison; changes are beside each other', async () => {
    await goTo(tab, place())
    await tab.getByRole('link', { name: 'Journals of item-3', exact: true }).click()
    await expect.poll(() => tab.getByText('Thinking about item-3').count()).toBe(2)
    await tab.keyboard.press('[')
    await tab.locator('.pair .added', { hasText: 'The answer is 4.' }).waitFor()
    await tab.locator('.pair .added', { hasText: 'The answer is 3.' }).waitFor()
    await tab.getByText('left added, right not changed').waitFor()
    await tab.getByRole('link', { name: 'Left against right' }).click()
    await tab.locator('.lines.sides del', { hasText: '4' }).waitFor()
  })

  test('any repetition can be read beside any other, of one run too', async () => {
    const plain = compared.idOf('plain')
    await goTo(tab, `#/compare/${plain}/${plain}/items/item-3`)
    await side('Left').getByText('item-3#2').waitFor()
    await side('Right').getByText('item-3#1').waitFor()
    await side('Right').getByRole('link', { name: 'Repetition 3, failed' }).click()
    await side('Right').getByText('item-3#3').waitFor()
    expect(await hash()).toMatch(/left=2/)
    expect(await hash()).toMatch(/right=3/)
    await side('Left').getByText('item-3#2').waitFor()
  })

  // `views` looks for barriers in each of these.
  test('no sideways scrolling on a phone', async () => {
    for (const part of ['', '/items/item-3', '/items/item-3/changes', '/items/item-3/journal']) {
      await goTo(tab, place(part))
      await tab.getByRole('heading', { level: 1 }).waitFor()
      await tab.setViewportSize({ width: 390, height: 844 })
      const wider = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(wider, part).toBeLessThanOrEqual(0)
      await tab.setViewportSize({ width: 1_280, height: 860 })
    }
  })

  test('on a phone, where one verdict is below the other, each has the name of its run', async () => {
    await goTo(tab, place('/items/item-3'))
    const names = tab.locator('.pair > div > p.narrow-only')
    await expect.poll(() => names.count()).toBe(2)
    expect(await names.first().isVisible()).toBe(false)
    await tab.setViewportSize({ width: 390, height: 844 })
    expect(await names.first().isVisible()).toBe(true)
    expect(await names.allTextContents()).toEqual(await tab.locator('.side-head > a').allTextContents())
    await tab.setViewportSize({ width: 1_280, height: 860 })
  })
})
