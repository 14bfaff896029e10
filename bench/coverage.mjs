import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { median, milliseconds, root, row, time, withDirectory } from './measure.mjs'

const program = join(root, 'bench/programs/read-jacoco.mjs')
const reportBytes = 20 * 1024 * 1024

const counters = (missed, covered) =>
  ['INSTRUCTION', 'BRANCH', 'LINE', 'COMPLEXITY', 'METHOD']
    .map((type) => `<counter type="${type}" missed="${missed}" covered="${covered}"/>`)
    .join('')

/** A class with twenty methods, and its source file with a hundred lines, as JaCoCo writes them. */
function classOf(number) {
  const name = `org/acme/shop/Shop${number}`
  const methods = Array.from(
    { length: 20 },
    (_, at) => `<method name="post${at}" desc="(Ljava/lang/String;I)V" line="${at * 5}">${counters(1, 4)}</method>`,
  ).join('')
  const lines = Array.from({ length: 100 }, (_, at) => `<line nr="${at}" mi="${at % 5}" ci="3" mb="0" cb="0"/>`).join(
    '',
  )
  return (
    `<class name="${name}" sourcefilename="Shop${number}.java">${methods}${counters(20, 80)}</class>` +
    `<sourcefile name="Shop${number}.java">${lines}${counters(20, 80)}</sourcefile>`
  )
}

/** A report of 20 MB: 80 of 100 lines are covered. The counters of the whole come last, as JaCoCo writes them. */
function writeReport(directory) {
  mkdirSync(join(directory, 'target/site/jacoco'), { recursive: true })
  const file = openSync(join(directory, 'target/site/jacoco/jacoco.xml'), 'w')
  const head =
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>' +
    '<!DOCTYPE report PUBLIC "-//JACOCO//DTD Report 1.1//EN" "report.dtd"><report name="shop"><package name="org/acme/shop">'
  let written = writeSync(file, head)
  let classes = 0
  while (written < reportBytes) written += writeSync(file, classOf(classes++))
  writeSync(file, `</package>${counters(20 * classes, 80 * classes)}</report>`)
  closeSync(file)
}

/** How long does a judge read a JaCoCo report of 20 MB, and with how much memory? */
export async function coverage() {
  return withDirectory((directory) => {
    writeReport(directory)
    const runs = [0, 1, 2, 3, 4, 5].map(() => JSON.parse(time([process.execPath, program, directory]).stdout)).slice(1)
    const wrong = runs.find(({ status, percent }) => status !== 'pass' || percent !== 80)
    if (wrong !== undefined) throw new Error(`the report was read as ${JSON.stringify(wrong)}`)
    const elapsedMs = median(runs.map((run) => run.elapsedMs))
    const rssMb = Math.max(...runs.map((run) => run.rssMb))
    return [
      row('a JaCoCo report of 20 MB', milliseconds(elapsedMs), 'at most 1 s', elapsedMs <= 1_000),
      row('its memory', `${Math.round(rssMb)} MB`, 'at most 150 MB', rssMb <= 150),
    ]
  })
}
