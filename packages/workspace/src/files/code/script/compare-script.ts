import { type Finding, maxNodes, outOfTime, type Sources, type SyntaxProblem, type Unparsed } from '../../comparator.js'
import { declarationFinding } from '../compare-declarations.js'
import type { Member } from '../declaration.js'
import { firstDifferentToken, problemNotes, type TokenStream, tokenFinding } from '../token-stream.js'
import { layoutCollector } from './layout-facts.js'
import { moduleMembers } from './module-members.js'
import { blockFunctions } from './names.js'
import { child, parseScript, type SyntaxNode, walk } from './parse-script.js'
import { scriptTokens } from './script-tokens.js'
import { holdsRegion, structureOf } from './structure.js'

/**
 * Compares two TypeScript or JavaScript files, including JSX, by tokens in one style and, if these differ, by
 * declarations. Quotes, semicolons, trailing commas and the order of functions, types and methods do not count.
 */
export async function compareScript({ reference, actual, path, rules, inTime }: Sources): Promise<Finding | Unparsed> {
  const expected = await readScript(reference, path)
  const found = await readScript(actual, path)
  if ('message' in expected || 'message' in found) {
    const problems = { reference: problemIn(expected), actual: problemIn(found) }
    return { by: 'nothing', notes: problemNotes(problems) }
  }
  if (firstDifferentToken(expected.stream, found.stream) === undefined)
    return { by: 'tokens', differences: [], notes: [] }
  if (!inTime()) return tokenFinding(expected.stream, found.stream, [outOfTime])
  const ignoreImportOrder = rules.ignoreImportOrder === true
  const sides = { reference: expected, actual: found }
  return declarationFinding(expected.stream, found.stream, '(module)', (side) => sides[side].members(ignoreImportOrder))
}

interface ReadScript {
  readonly stream: TokenStream
  members(ignoreImportOrder: boolean): readonly Member[]
}

function problemIn(side: ReadScript | SyntaxProblem): SyntaxProblem | undefined {
  return 'message' in side ? side : undefined
}

async function readScript(source: string, path: string | undefined): Promise<ReadScript | SyntaxProblem> {
  const script = await parseScript(source, path)
  if ('message' in script) return script
  const collector = layoutCollector(source)
  const holders: SyntaxNode[] = []
  const inBlocks = blockFunctions()
  const count = walk(script.file, maxNodes, (node) => {
    collector.visit(node)
    inBlocks.visit(node)
    if (holdsRegion(node)) holders.push(node)
  })
  if (count > maxNodes) return { message: `more than ${maxNodes} nodes`, line: null }
  const stream = scriptTokens(script, collector.facts)
  const program = child(script.file, 'program') ?? script.file
  const members = (ignoreImportOrder: boolean) => {
    return moduleMembers(structureOf(stream, holders, inBlocks.namesIn(program)), program, ignoreImportOrder)
  }
  return { stream, members }
}
