import { maxDepth } from '../files/comparator.js'
import { quoted } from '../files/quotation.js'
import { coberturaCollector } from './cobertura.js'
import type { ReportReader } from './coverage-report.js'
import { jacocoCollector } from './jacoco.js'
import { corrupt, unsupported } from './report-fault.js'
import type { Attributes, XmlCollector } from './xml-collector.js'

/**
 * Reads JaCoCo and Cobertura, told apart by the root. No tree is made; a DOCTYPE is read past and never loaded, and one
 * with declarations of its own is refused.
 */
export async function xmlReader(): Promise<ReportReader> {
  const { SaxesParser } = await import('saxes')
  const parser = new SaxesParser()
  const above: string[] = []
  let collector: XmlCollector | undefined
  parser.on('error', ({ message }) => corrupt(`it is no XML: ${message}`))
  parser.on('doctype', (doctype) => {
    if (doctype.replace(/"[^"]*"|'[^']*'/g, '').includes('[')) corrupt('document type declarations are refused')
  })
  parser.on('opentag', ({ name, attributes }) => {
    collector ??= collectorFor(name, attributes)
    collector.open(name, attributes, above)
    if (above.push(name) > maxDepth.data) corrupt(`it is nested deeper than ${maxDepth.data} levels`)
  })
  parser.on('closetag', () => {
    above.pop()
  })
  return {
    write: (text) => void parser.write(text),
    end() {
      parser.close()
      return collector?.report() ?? corrupt('it has no element')
    },
  }
}

function collectorFor(root: string, attributes: Attributes): XmlCollector {
  if (root === 'report') return jacocoCollector()
  // Clover has the same root.
  if (root === 'coverage' && attributes['clover'] === undefined) return coberturaCollector(attributes)
  return unsupported(`its root is ${quoted(root)}; "report" (JaCoCo) and "coverage" (Cobertura) are read`)
}
