// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.mcp;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The tools, all of which only read. */
enum Tool {
  LIST(
      "list_logs_and_nodes",
      "Lists the logs with their variables, and the nodes with their first and last events. Begin"
          + " here."),
  CHECK(
      "check_statement",
      "Checks an RQL statement without running it; returns the errors with their places and"
          + " advice.",
      Field.STATEMENT),
  QUERY(
      "query",
      "Runs a reading RQL statement over the recorded events, such as SELECT role FROM raft WHEN"
          + " COUNT n IN NODES : (role@n = 'leader') >= 2, and returns its first rows. Each row"
          + " belongs to a consistent cut, whose stamp is in hlc.",
      Field.STATEMENT,
      Field.LIMIT),
  EXPLAIN(
      "explain",
      "Explains why the WHEN of a statement holds at a cut: the values that decide it, the events"
          + " that wrote them, and what is not certain.",
      Field.STATEMENT,
      Field.HLC),
  CUT(
      "cut_at",
      "Shows all values of a log at all nodes in the consistent cut at a stamp.",
      Field.LOG,
      Field.HLC),
  PREVIOUS(
      "previous_finding",
      "Finds the last row of a statement before a stamp.",
      Field.STATEMENT,
      Field.HLC),
  NEXT(
      "next_finding",
      "Finds the first row of a statement after a stamp.",
      Field.STATEMENT,
      Field.HLC);

  private final String word;
  private final String description;

  @SuppressWarnings("ImmutableEnumChecker") // A list that cannot be modified.
  private final List<Field> fields;

  Tool(String word, String description, Field... fields) {
    this.word = word;
    this.description = description;
    this.fields = List.of(fields);
  }

  /** One argument of a tool. */
  enum Field {
    STATEMENT("string", "one RQL statement"),
    HLC("string", "a stamp such as 1795200000000431.0, as rows have it in hlc"),
    LOG("string", "the name of a log"),
    LIMIT("integer", "the most rows, 1 to 200 (default 50)");

    private final String type;
    private final String description;

    Field(String type, String description) {
      this.type = type;
      this.description = description;
    }

    /** The name of the argument. */
    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The tool with a name. */
  static Optional<Tool> named(String name) {
    return Arrays.stream(values()).filter(tool -> tool.word.equals(name)).findFirst();
  }

  /** The tool as the answer to {@code tools/list} has it. */
  Map<String, Object> description() {
    Map<String, Object> properties = new LinkedHashMap<>();
    for (Field field : fields) {
      properties.put(field.word(), Map.of("type", field.type, "description", field.description));
    }
    Map<String, Object> schema = new LinkedHashMap<>();
    schema.put("type", "object");
    schema.put("properties", properties);
    schema.put("required", fields.stream().filter(f -> f != Field.LIMIT).map(Field::word).toList());
    schema.put("additionalProperties", false);
    Map<String, Object> tool = new LinkedHashMap<>();
    tool.put("name", word);
    tool.put("description", description);
    tool.put("inputSchema", schema);
    tool.put("annotations", Map.of("readOnlyHint", true, "openWorldHint", false));
    return tool;
  }

  List<Field> fields() {
    return fields;
  }
}
