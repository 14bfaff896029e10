import { describe, expect, test } from 'vitest'
import { hiddenDemands } from '../../src/variants/hidden-demands.js'

const visible = {
  task: 'Add reports to the shop: totals of orders, and a program that writes them.',
  tests: [],
  files: new Map([
    ['src/cart.ts', 'export class Cart { items = [] }'],
    ['src/cart.js', 'export class Cart {}'],
    ['shop/cart.py', 'class Cart:\n    def as_dict(self): pass'],
    ['build.gradle', 'archive = "shop.jar"'],
    ['src/main/java/com/shop/Cart.java', 'package com.shop; public class Cart { }'],
    ['cli.js', ''],
    ['report.py', ''],
  ]),
}

/** Each test demands one word that a solver must guess. */
const planted: Readonly<Record<string, readonly (readonly [found: string, text: string])[]>> = {
  'tests/report.test.js': [
    ['name toCsvRow', "import { toCsvRow } from '../src/cart.js'\nexpect(toCsvRow([1, 2])).toBe('1,2')"],
    ['name ledger', "import book from '../src/ledger.js'\nexpect(book()).toBe(3)"],
    ['member grandSum', "const { Cart } = require('../src/cart.js')\nassert.equal(new Cart().grandSum(), 0)"],
    [
      'flag --as-table',
      "const run = (...args) => spawnSync(process.execPath, ['cli.js', ...args])\nexpect(run('--as-table').status).toBe(0)",
    ],
    [
      'command summarize',
      "const { stdout } = await execFile('node', ['cli.js', 'summarize', '--version'])\nexpect(stdout).toBe('3')",
    ],
    [
      'key netWorth',
      "import { Cart } from '../src/cart.js'\nexpect(new Cart().toJSON()).toEqual({ items: [], netWorth: 0 })",
    ],
    ['variable SHOP_REGION', "spawnSync('node', ['cli.js'], { env: { ...process.env, SHOP_REGION: 'eu' } })"],
    ['port 8417', "const response = await fetch('http://localhost:8417/')\nexpect(response.status).toBe(200)"],
    ['message No such coupon', "expect(() => apply('x')).toThrow('No such coupon')"],
    ['path ledger.csv', "expect(readFileSync(join(directory, 'ledger.csv'), 'utf8')).toContain('1')"],
  ],
  'tests/report.test.ts': [
    [
      'name RefundPolicy',
      "import type { RefundPolicy } from '../src/cart.js'\nconst given: RefundPolicy = { days: 3 }",
    ],
    [
      'member lineItems',
      "import { Cart } from '../src/cart.js'\nconst cart: Cart = new Cart()\nexpect(cart.lineItems.length).toBe(0)",
    ],
    ['flag --fiscal-year', "expect(execSync('node cli.js --fiscal-year 2024').toString()).toBe('7')"],
    [
      'key subtotal_cents',
      "const said = JSON.parse(execFileSync('node', ['cli.js'], { encoding: 'utf8' })) as any\nexpect(said.subtotal_cents).toBe(12)",
    ],
    ['key grossAmount', "import { Cart } from '../src/cart.js'\nexpect(new Cart()).toHaveProperty('grossAmount', 3)"],
    ['variable LEDGER_HOME', "vi.stubEnv('LEDGER_HOME', directory)\nexpect(run()).toBe(1)"],
    ['port 5099', "const socket = net.connect(5099, 'localhost')\nexpect(socket.destroyed).toBe(false)"],
    [
      'message the ledger is sealed',
      "try { seal() } catch (error) { expect((error as Error).message).toBe('the ledger is sealed') }",
    ],
    ['path invoice-2024.json', "expect(existsSync(directory + '/out/invoice-2024.json')).toBe(true)"],
    ['path healthz', "expect((await fetch('http://127.0.0.1/api/healthz')).ok).toBe(true)"],
  ],
  'tests/test_report.py': [
    ['name refund_all', 'from shop.cart import refund_all\nassert refund_all([]) == 0'],
    ['name ledgers', 'import shop.ledgers\nassert shop.ledgers'],
    ['member net_worth', 'from shop.cart import Cart\ncart = Cart()\nassert cart.net_worth() == 0'],
    [
      'flag --as-table',
      'import subprocess, sys\nsubprocess.run([sys.executable, "report.py", "--as-table"], check=True)',
    ],
    [
      'command summarize',
      'from click.testing import CliRunner\nfrom report import report\nresult = CliRunner().invoke(report, ["summarize"])\nassert result.exit_code == 0',
    ],
    ['key net_worth', 'import json\nsaid = json.load(open("report.py"))\nassert said["net_worth"] == 3'],
    ['key gross', 'from shop.cart import Cart\nassert Cart().as_dict() == {"items": [], "gross": 0}'],
    ['variable SHOP_REGION', 'def test_region(monkeypatch):\n    monkeypatch.setenv("SHOP_REGION", "eu")'],
    [
      'message No such coupon',
      'def test_it():\n    with pytest.raises(ValueError) as caught:\n        apply()\n    assert str(caught.value) == "No such coupon"',
    ],
    [
      'path ledger.csv',
      'def test_it(tmp_path):\n    run(tmp_path)\n    assert (tmp_path / "ledger.csv").read_text() == "1"',
    ],
  ],
  'src/test/java/com/shop/ReportTest.java': [
    [
      'name Ledger',
      'package com.shop;\nclass ReportTest { @Test void it() { assertEquals(0, new Ledger().size()); } }',
    ],
    [
      'name RefundPolicy',
      'package com.shop;\nimport com.shop.rules.RefundPolicy;\nclass ReportTest { RefundPolicy given; }',
    ],
    [
      'member netWorth',
      'package com.shop;\nclass ReportTest { @Test void it() { Cart cart = new Cart(); assertEquals(0, cart.netWorth()); } }',
    ],
    [
      'flag --as-table',
      'class ReportTest { @Test void it() throws Exception { new ProcessBuilder("java", "-jar", "shop.jar", "--as-table").start(); } }',
    ],
    [
      'variable SHOP_REGION',
      'class ReportTest { @Test void it() { assertEquals("eu", System.getenv("SHOP_REGION")); } }',
    ],
    ['port 8417', 'class ReportTest { @Test void it() throws Exception { new Socket("localhost", 8417).close(); } }'],
    [
      'message No such coupon',
      'class ReportTest { @Test void it() { var thrown = assertThrows(RuntimeException.class, () -> apply()); assertEquals("No such coupon", thrown.getMessage()); } }',
    ],
    [
      'message the ledger is sealed',
      'class ReportTest { @Test void it() { assertThatThrownBy(() -> seal()).hasMessage("the ledger is sealed"); } }',
    ],
    [
      'path ledger.csv',
      'class ReportTest { @Test void it(@TempDir Path directory) throws Exception { assertEquals("1", Files.readString(directory.resolve("ledger.csv"))); } }',
    ],
    [
      'key netWorth',
      'package com.shop;\nclass ReportTest { @Test void it() { Cart cart = new Cart(); assertThat(cart).hasFieldOrProperty("netWorth"); } }',
    ],
  ],
}

const rows = Object.entries(planted).flatMap(([path, all]) => all.map(([found, text]) => ({ path, found, text })))

async function wordsIn(path: string, text: string, task: string): Promise<readonly string[]> {
  const { demands, notChecked } = await hiddenDemands(new Map([[path, text]]), { ...visible, task })
  expect(notChecked).toEqual([])
  return demands.map(({ kind, word }) => `${kind} ${word}`)
}

describe.each(rows)('$path demands the $found', ({ path, found, text }) => {
  test('in a task that does not say it', async () => {
    expect(await wordsIn(path, text, visible.task)).toEqual([found])
  })

  test('unless the task says it', async () => {
    const word = found.slice(found.indexOf(' ') + 1)
    expect(await wordsIn(path, text, `${visible.task} It says "${word}".`)).toEqual([])
  })
})
