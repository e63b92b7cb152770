import { type FunctionDefinition, functions } from '../functions/index.ts';

function entry(definition: FunctionDefinition): string {
  const aliases = definition.aliases ?? [];
  const named = aliases.length === 0 ? '' : `\n\nAlso: ${aliases.map((alias) => `\`${alias}\``).join(', ')}.`;
  const examples = definition.examples.map(
    ([expression, result]) => `${expression}  -- ${result === '' ? "''" : result}`,
  );
  return `### ${definition.name}\n\n\`${definition.syntax}\`\n\n${definition.doc}${named}\n\n\`\`\`sql\n${examples.join('\n')}\n\`\`\`\n`;
}

function title(category: string): string {
  const words = category.replaceAll('_', ' ');
  return words[0]!.toUpperCase() + words.slice(1);
}

/** The reference page of all functions, in Markdown; its examples are those that the tests run. */
export function functionReference(): string {
  const categories = [...new Set(functions.definitions.map((definition) => definition.category))].sort();
  const parts = categories.map((category) => {
    const members = functions.definitions
      .filter((definition) => definition.category === category)
      .sort((left, right) => (left.name < right.name ? -1 : 1));
    return `## ${title(category)}\n\n${members.map(entry).join('\n')}`;
  });
  const count = functions.definitions.length;
  return `# Functions\n\nThis page is generated from the definitions of the ${count} functions; every example is run as a test. Names are known in any case and in\nClickHouse's camelCase spelling too. An aggregate function with \`_if\` after its name takes a condition as last argument.\n\n${parts.join('\n')}`;
}
