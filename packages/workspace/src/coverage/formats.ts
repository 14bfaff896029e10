import type { CoverageReport, ReportReader } from './coverage-report.js'
import { istanbulReader } from './istanbul.js'
import { lcovReader } from './lcov.js'
import { xmlReader } from './xml-reports.js'

/** One format of coverage reports. */
interface Format {
  /** Its name in messages. */
  readonly title: string
  /** How a report begins. JaCoCo and Cobertura are both XML; the root element decides. */
  readonly begins: RegExp
  readonly reader: () => ReportReader | Promise<ReportReader>
  /** Where builds usually write it. `eachModule` stands for one report in each module of a project. */
  readonly places: readonly (string | typeof eachModule)[]
}

/** Stands for the report `placeInModule` of every module. */
export const eachModule: unique symbol = Symbol('each module')

/** Where Maven writes the report of a module. */
export const placeInModule = 'target/site/jacoco/jacoco.xml'

/** Every format that can be read, in the order in which reports are searched: the first place with a report counts. */
const formats: { readonly [format in CoverageReport['format']]: Format } = {
  jacoco: {
    title: 'JaCoCo XML',
    begins: /^\s*</,
    reader: xmlReader,
    places: [
      placeInModule,
      'target/site/jacoco-aggregate/jacoco.xml',
      'build/reports/jacoco/test/jacocoTestReport.xml',
      eachModule,
    ],
  },
  istanbul: {
    title: 'Istanbul JSON',
    begins: /^\s*\{/,
    reader: istanbulReader,
    places: ['coverage/coverage-summary.json', 'coverage/coverage-final.json'],
  },
  lcov: {
    title: 'LCOV',
    begins: /^(?:TN|SF):/m,
    reader: lcovReader,
    places: ['coverage/lcov.info', 'lcov.info'],
  },
  cobertura: {
    title: 'Cobertura',
    begins: /^\s*</,
    reader: xmlReader,
    places: ['coverage/cobertura-coverage.xml', 'coverage.xml'],
  },
}

/** The names of the formats. */
export const formatNames: readonly string[] = Object.keys(formats)

const titles = Object.values(formats).map(({ title }) => title)

/** The titles of the formats for messages: `A, B or C`. */
export const formatTitles: string = `${titles.slice(0, -1).join(', ')} or ${titles.at(-1)}`

/** The usual places of reports, in the order in which they are searched. */
export const usualPlaces: readonly (string | typeof eachModule)[] = Object.values(formats).flatMap(
  ({ places }) => places,
)

/** The reader of a report that begins with this text, or `undefined`. */
export function readerOf(head: string): ReportReader | Promise<ReportReader> | undefined {
  return Object.values(formats)
    .find(({ begins }) => begins.test(head))
    ?.reader()
}
