import { describe, expect, test } from 'vitest'
import { hiddenDemands } from '../../src/variants/hidden-demands.js'

const visible = {
  task: 'Write `total_price(rows)` in shop/cart.py, and export prices as CSV. Empty carts throw "Cart is empty".',
  tests: ["import { add } from '../src/cart.js'\nadd(1)"],
  files: new Map([['src/cart.ts', 'export function add(price: number) {}\nexport const settings = { currency: 1 }']]),
}

async function wordsIn(path: string, text: string): Promise<readonly string[]> {
  const { demands, notChecked } = await hiddenDemands(
    new Map([
      [path, text],
      ['tests/helpers.py', ''],
    ]),
    visible,
  )
  expect(notChecked).toEqual([])
  return demands.map(({ kind, word, line }) => `${line} ${kind} ${word}`)
}

describe('hidden demands of JavaScript', () => {
  test.each([
    ["import { toCsvRow } from '../src/export.js'", ['1 name toCsvRow']],
    ["import { toCsvRow as row } from '../src/export.ts'\nrow().escaped", ['1 name toCsvRow', '2 member escaped']],
    ["const { toCsvRow } = require('../src/export')", ['1 name toCsvRow']],
    ["const { toCsvRow } = await import('../src/export.mjs')", ['1 name toCsvRow']],
    ["import { add } from '../src/cart.js'\nconst made = add(1)\nexpect(made.netWorth).toBe(3)", ['3 member netWorth']],
    ["import { add } from '../src/cart.js'\nconst { netWorth } = add(1)", ['2 member netWorth']],
    ["import { add } from '../src/cart.js'\nadd(1).withTax().map((one) => one)", ['2 member withTax']],
    ["expect(() => run()).toThrow('No such coupon')", ['1 message No such coupon']],
    ["assert.throws(() => run(), { message: 'No such coupon' })", ['1 message No such coupon']],
    ["readFileSync(join(directory, 'output.json'))", ['1 path output.json']],
    ["existsSync('dist/report.html')", ['1 path report.html']],
    ['process.env.SHOP_REGION', ['1 variable SHOP_REGION']],
    ["execFileSync('tills++', ['--as-table'])", ['1 command tills++', '1 flag --as-table']],
  ])('%s', async (text, words) => {
    expect(await wordsIn('tests/hidden.test.ts', text)).toEqual(words)
  })

  test.each([
    ["import { add } from '../src/cart.js'\nadd(1)"],
    ["import { totalPrice } from '../src/cart.js'"],
    ["import { price } from '../src/cart.js'"],
    ["import { expect, test } from 'vitest'\nimport fs from 'node:fs'\nfs.promises.readdir('.')"],
    ["import { add } from '../src/cart.js'\nadd(1).map((x) => x).join(',').toUpperCase()"],
    ["import { add } from '../src/cart.js'\nadd(1).currency"],
    ["expect(() => run()).toThrow('Cart is empty')"],
    ["expect(add(3)).toBe('computed by the solution')"],
    ['const mine = { answer: 1 }\nmine.answer'],
    ['expect(() => run()).toThrow(RangeError)'],
    ["const failing = () => { throw new Error('attempt ' + n) }\nassert.rejects(retry(failing), /attempt 4/)"],
    ['const given = [{ weight: 1 }]\nexpect(add(given)).toEqual([{ weight: 1, price: 2 }])'],
    ["writeFileSync(join(directory, 'input.json'), '1')\nrun(join(directory, 'input.json'))"],
    ["await add('hello'.match(/x/))\nprocess.env.HOME"],
  ])('a solver need not guess %s', async (text) => {
    expect(await wordsIn('tests/hidden.test.ts', text)).toEqual([])
  })
})

describe('hidden demands of Python', () => {
  test.each([
    ['from shop.cart import refund', ['1 name refund']],
    ['from shop.cart import refund as back\nback(1).receipt', ['1 name refund', '2 member receipt']],
    ['from shop.cart import total_price\nmade = total_price([])\nassert made.gross == 1', ['3 member gross']],
    ['import pytest\nwith pytest.raises(ValueError, match="No such coupon"):\n    pass', ['2 message No such coupon']],
    ['open("/tmp/work/summary.txt")', ['1 path summary.txt']],
    ['import os\nos.environ["SHOP_REGION"]', ['2 variable SHOP_REGION']],
  ])('%s', async (text, words) => {
    expect(await wordsIn('tests/test_hidden.py', text)).toEqual(words)
  })

  test.each([
    ['from shop.cart import total_price\ntotal_price([]).strip()'],
    ['from collections import OrderedDict\nOrderedDict().move_to_end(1)'],
    ['import pytest\npytest.approx(1)'],
    ['from shop.cart import add\nassert add(1) == "computed"'],
    ['import requests\nassert requests.Session().verify'],
    ['from shop.cart import add\nout = tmp_path / "made.csv"\nadd(out)\nassert out.read_text() == "1"'],
    ['from shop.cart import add\nassert add("red green") == {"red": 1, "green": 1}'],
    ['from helpers import made\nmade().anything'],
    ['assert open("/tests/helpers.py").read()'],
  ])('a solver need not guess %s', async (text) => {
    expect(await wordsIn('tests/test_hidden.py', text)).toEqual([])
  })
})

test('tests that cannot be read are named', async () => {
  const tests = new Map([
    ['tests/a.test.ts', 'import {'],
    ['src/test/java/ATest.java', 'class ATest {'],
  ])
  expect(await hiddenDemands(tests, visible)).toEqual({ demands: [], notChecked: [...tests.keys()] })
})
