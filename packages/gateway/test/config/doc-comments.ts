import { readFileSync } from "node:fs";
import ts from "typescript";

/** A JSON Schema, as far as descriptions are put into it. */
export interface Described {
  description?: string;
  default?: unknown;
  properties?: Record<string, Described>;
  additionalProperties?: Described | boolean;
  items?: Described;
  anyOf?: Described[];
}

/** The interfaces of files, and what their doc comments say of their members. */
export class DocComments {
  readonly #interfaces = new Map<string, ts.InterfaceDeclaration>();

  constructor(files: readonly URL[]) {
    for (const file of files) {
      const source = ts.createSourceFile(file.pathname, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
      source.forEachChild((node) => {
        if (ts.isInterfaceDeclaration(node)) this.#interfaces.set(node.name.text, node);
      });
    }
  }

  /** Puts what the comments of an interface say into a schema of it, and so on inwards. */
  describe(schema: Described, name: string): void {
    const found = this.#interfaces.get(name);
    if (found === undefined) throw new Error(`there is no interface ${name}`);
    this.#members(schema, found.members);
  }

  #members(schema: Described, members: readonly ts.TypeElement[]): void {
    for (const one of [schema, ...(schema.anyOf ?? [])]) {
      for (const member of members) {
        if (!ts.isPropertySignature(member) || one.properties === undefined) continue;
        const property = one.properties[(member.name as ts.Identifier).text];
        if (property === undefined) continue;
        const text = commentOf(member);
        if (text !== "") property.description = text;
        if (member.type !== undefined) this.#type(property, member.type);
      }
    }
  }

  #type(schema: Described, type: ts.TypeNode): void {
    if (ts.isUnionTypeNode(type)) for (const one of type.types) this.#type(schema, one);
    else if (ts.isTypeOperatorNode(type)) this.#type(schema, type.type);
    else if (ts.isTypeLiteralNode(type)) this.#members(schema, type.members);
    else if (ts.isArrayTypeNode(type)) this.#inner(schema, "items", type.elementType);
    else if (ts.isTypeReferenceNode(type)) {
      const name = type.typeName.getText();
      const last = type.typeArguments?.at(-1);
      if (name === "Record" && last !== undefined) this.#inner(schema, "additionalProperties", last);
      const found = this.#interfaces.get(name);
      if (found !== undefined) this.#members(schema, found.members);
    }
  }

  #inner(schema: Described, key: "items" | "additionalProperties", type: ts.TypeNode): void {
    for (const one of [schema, ...(schema.anyOf ?? [])]) {
      const inner = one[key];
      if (typeof inner === "object") this.#type(inner, type);
    }
  }
}

function commentOf(node: ts.Node): string {
  return ts
    .getJSDocCommentsAndTags(node)
    .map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? "")
    .join(" ")
    .replace(/\s+/g, " ")
    .trim();
}
