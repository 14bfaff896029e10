import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityProblems } from './accessibility.js'
import { inBrowser, isWithoutBrowser, startBrowser, type TestBrowser } from './browser.js'
import { type ComparedProject, comparedProject } from './compared-project.js'
import { openAt, type RunningView, startView } from './jurist-view.js'
import { openTab, settled } from './open-page.js'

describe.skipIf(isWithoutBrowser)(inBrowser('places and keys'), () => {
  let compared: ComparedProject
  let viewing: RunningView
  let browser: TestBrowser
  const problems: string[] = []
  const open = (place: string) => openAt(browser, viewing.url, place, problems)

  beforeAll(async () => {
    compared = await comparedProject()
    viewing = await startView(compared.made)
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await viewing?.stop()
    compared?.[Symbol.dispose]()
    expect(problems).toEqual([])
  })

  test('Back returns to the row, its cursor and the focus on its link; a new place has the focus on its heading', async () => {
    const tab = await open(`#/runs/${compared.idOf('plain')}`)
    await tab.getByText('item-0').first().waitFor()
    await tab.locator('.rows').evaluate((box) => box.scrollTo(0, 36 * 34))
    const link = tab.locator('#row-40').getByRole('rowheader').getByRole('link')
    await link.waitFor()
    const name = (await link.getAttribute('title')) ?? ''
    const top = await tab.locator('.rows').evaluate((box) => box.scrollTop)
    await link.click()
    await expect.poll(() => tab.evaluate(() => document.activeElement?.tagName)).toBe('H1')
    expect(await tab.evaluate(() => document.activeElement?.textContent)).toContain(name)
    await tab.goBack()
    await tab.locator('#row-40.at').waitFor()
    await expect.poll(() => link.evaluate((element) => element === document.activeElement)).toBe(true)
    expect(await tab.locator('.rows').evaluate((box) => box.scrollTop)).toBe(top)
    await tab.keyboard.press('j')
    await tab.locator('#row-41.at').waitFor()
    await tab.context().close()
  })

  test('the way up keeps the filter, also after a reload', async () => {
    const tab = await open(`#/runs/${compared.idOf('plain')}?outcome=fail&sort=time`)
    await tab.getByText('item-3').first().waitFor()
    await tab.locator('#row-1').getByRole('rowheader').getByRole('link').click()
    await tab.getByRole('navigation', { name: 'Views of this trial' }).waitFor()
    await tab.reload()
    await settled(tab)
    await tab.keyboard.press('u')
    await tab.getByRole('grid').waitFor()
    expect(await tab.evaluate(() => location.hash)).toMatch(/\?outcome=fail&sort=time$/)
    await tab.context().close()
  })

  test('in a trial, j and k go through the filtered list', async () => {
    const tab = await open(`#/runs/${compared.idOf('plain')}?outcome=fail`)
    await tab.locator('#row-1').getByRole('rowheader', { name: 'item-3' }).getByRole('link').click()
    for (const [key, place] of [
      ['', 2],
      ['j', 3],
      ['j', 4],
      ['k', 3],
      ['j', 4],
    ] as const) {
      if (key !== '') await tab.keyboard.press(key)
      await tab.getByText(`${place} of 20`).waitFor()
    }
    await tab.getByRole('heading', { name: 'item-9' }).waitFor()
    await tab.keyboard.press('u')
    await tab.getByRole('grid').waitFor()
    expect(await tab.evaluate(() => location.hash)).toMatch(/\?outcome=fail$/)
    await tab.context().close()
  })

  test('by keys: rows, tabs and the search; fields and modifiers are left alone', async () => {
    const tab = await open('#/')
    await tab.getByRole('link', { name: 'sums' }).first().waitFor()
    for (const key of ['j', 'j', 'k', 'Enter']) await tab.keyboard.press(key)
    await tab.getByRole('grid').waitFor()
    await tab.keyboard.press(']')
    await tab.getByRole('grid').waitFor({ state: 'hidden' })
    expect(await tab.evaluate(() => location.hash)).toMatch(/\/runs\/[^/]+\/[a-z-]+$/)
    await tab.keyboard.press('[')
    await tab.getByRole('grid').waitFor()
    await tab.keyboard.press('Control+j')
    await tab.keyboard.press('/')
    await tab.keyboard.type('j?u item-7')
    expect(await tab.getByRole('searchbox').inputValue()).toBe('j?u item-7')
    await tab.getByRole('searchbox').fill('item-7')
    await tab.waitForFunction(() => location.hash.includes('q=item-7'))
    await tab.keyboard.press('Escape')
    expect(await tab.getByRole('searchbox').inputValue()).toBe('item-7')
    await tab.locator('#row-0', { hasText: 'item-7' }).waitFor()
    await tab.keyboard.press('j')
    await tab.locator('#row-0.at').waitFor()
    await tab.keyboard.press('Enter')
    await tab.getByRole('heading', { name: 'item-7' }).waitFor()
    await tab.context().close()
  })

  test('a key for the next tab counts before the page has drawn the tab of the key before', async () => {
    const tab = await openTab(browser, {}, problems)
    // The browser announces an address late, as on a busy machine.
    await tab.addInitScript(() => {
      addEventListener('hashchange', (event) => {
        if (!event.isTrusted) return
        event.stopImmediatePropagation()
        setTimeout(() => dispatchEvent(new HashChangeEvent('hashchange')), 1_000)
      })
    })
    const { origin, search } = viewing.url
    await tab.goto(`${origin}/${search}#/runs/${compared.idOf('plain')}`)
    await tab.getByRole('grid').waitFor()
    const names = await tab.getByRole('navigation', { name: 'Views of this run' }).getByRole('link').allTextContents()
    for (const key of [']', ']', '[', ']']) await tab.keyboard.press(key)
    await tab
      .getByRole('link', { name: names[2] ?? '', exact: true })
      .and(tab.locator('[aria-current="page"]'))
      .waitFor()
    await tab.context().close()
  })

  test('the sheet lists the keys, opens by key and button, and closes by Escape', async () => {
    const tab = await open('#/')
    await tab.keyboard.press('?')
    const sheet = tab.getByRole('dialog', { name: 'Keys' })
    await sheet.getByText('Next tab').waitFor()
    expect(await accessibilityProblems(tab)).toEqual([])
    await tab.keyboard.press('j')
    await tab.keyboard.press('Escape')
    await sheet.waitFor({ state: 'hidden' })
    await tab.getByRole('button', { name: 'Keys' }).click()
    await sheet.getByRole('button', { name: 'Close' }).click()
    await sheet.waitFor({ state: 'hidden' })
    await tab.context().close()
  })
})
