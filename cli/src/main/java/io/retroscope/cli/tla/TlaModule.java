// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.tla;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.DoubleValue;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.json.JsonValues;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A TLA+ module that repeats a run: a sequence of states, variables with their values, and a
 * specification {@code TraceSpec} whose only behaviour is the run. A function has a value only for
 * the nodes that have one. The module extends nothing but TLC's standard modules.
 *
 * <p>The form follows Pressler, "Verifying Software Traces Against a Formal Specification with TLA+
 * and TLC" (2018): the trace is the model, and the specification is a property of it.
 */
public final class TlaModule {
  private TlaModule() {}

  /**
   * Writes the module.
   *
   * @param name of the module, which must be that of its file
   * @throws CommandException if TLC has no such value
   */
  public static void write(TraceStates trace, String name, Writer out) throws IOException {
    List<String> variables = variables(trace.names());
    out.write("---- MODULE " + name + " ----\n");
    out.write("EXTENDS Integers, Sequences, TLC\n\n");
    out.write("\\* The values by node, from before the first event on.\nTrace == <<\n");
    List<String> lines = new ArrayList<>();
    for (TraceStates.State state : trace.states()) {
      List<String> fields = new ArrayList<>();
      fields.add("hlc |-> \"" + HlcTimestamp.text(state.hlc()) + "\"");
      for (int i = 0; i < variables.size(); i++) {
        String where = trace.names().get(i);
        fields.add(variables.get(i) + " |-> " + function(state.values().get(i), where));
      }
      lines.add("  [" + String.join(", ", fields) + "]");
    }
    out.write(String.join(",\n", lines) + "\n>>\n\n");
    out.write("VARIABLES step, " + String.join(", ", variables) + "\n\n");
    out.write("traceVars == <<step, " + String.join(", ", variables) + ">>\n\n");
    out.write("TraceInit ==\n  /\\ step = 1\n");
    for (String variable : variables) {
      out.write("  /\\ " + variable + " = Trace[1]." + variable + "\n");
    }
    out.write("\nTraceNext ==\n  \\/ /\\ step < Len(Trace)\n     /\\ step' = step + 1\n");
    for (String variable : variables) {
      out.write("     /\\ " + variable + "' = Trace[step + 1]." + variable + "\n");
    }
    out.write("  \\/ step = Len(Trace) /\\ UNCHANGED traceVars\n\n");
    out.write("TraceSpec == TraceInit /\\ [][TraceNext]_traceVars /\\ WF_traceVars(TraceNext)\n");
    out.write("====\n");
  }

  /** Writes the states as JSON, one object a line. */
  public static void writeJson(TraceStates trace, Writer out) throws IOException {
    List<String> variables = variables(trace.names());
    for (TraceStates.State state : trace.states()) {
      Map<String, Value> fields = new LinkedHashMap<>();
      fields.put("hlc", Value.of(HlcTimestamp.text(state.hlc())));
      for (int i = 0; i < variables.size(); i++) {
        fields.put(variables.get(i), state.values().get(i));
      }
      out.write(JsonValues.text(new StructValue(fields)) + "\n");
    }
  }

  /** The names of TLA+: letters, digits and underscores, each once. */
  private static List<String> variables(List<String> names) {
    List<String> variables = new ArrayList<>();
    for (String name : names) {
      String plain = name.replaceAll("[^A-Za-z0-9_]", "_");
      String variable = Character.isLetter(plain.charAt(0)) ? plain : "v" + plain;
      while (variables.contains(variable) || variable.equals("step") || variable.equals("hlc")) {
        variable += "_";
      }
      variables.add(variable);
    }
    return variables;
  }

  private static String function(StructValue byNode, String where) {
    if (byNode.fields().isEmpty()) {
      return "<<>>";
    }
    return byNode.fields().entrySet().stream()
        .map(node -> string(node.getKey()) + " :> " + node.getValue().accept(new Text(where)))
        .collect(Collectors.joining(" @@ "));
  }

  private static String string(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> quoted.append("\\\"");
        case '\\' -> quoted.append("\\\\");
        case '\n' -> quoted.append("\\n");
        case '\t' -> quoted.append("\\t");
        default -> quoted.append(c >= ' ' && c < 0x7F ? c : "\\\\u%04X".formatted((int) c));
      }
    }
    return quoted.append('"').toString();
  }

  /** The TLA+ text of a value. */
  private record Text(String where) implements Value.Visitor<String> {
    @Override
    public String nullValue(NullValue value) {
      return string("NULL");
    }

    @Override
    public String booleanValue(BooleanValue value) {
      return value.value() ? "TRUE" : "FALSE";
    }

    @Override
    public String longValue(LongValue value) {
      if (value.value() != (int) value.value()) {
        throw new CommandException(
            ExitCode.USAGE,
            "%s has the value %d, and TLC's integers have 32 bits".formatted(where, value.value()));
      }
      return String.valueOf(value.value());
    }

    @Override
    public String doubleValue(DoubleValue value) {
      return string(String.valueOf(value.value()));
    }

    @Override
    public String stringValue(StringValue value) {
      return string(value.value());
    }

    @Override
    public String durationValue(DurationValue value) {
      return string(value.toString());
    }

    @Override
    public String timestampValue(TimestampValue value) {
      return string(HlcTimestamp.text(value.packed()));
    }

    @Override
    public String setValue(SetValue value) {
      return value.elements().stream()
          .map(element -> element.accept(this))
          .collect(Collectors.joining(", ", "{", "}"));
    }

    @Override
    public String structValue(StructValue value) {
      return value.fields().isEmpty()
          ? "<<>>"
          : value.fields().entrySet().stream()
              .map(field -> string(field.getKey()) + " :> " + field.getValue().accept(this))
              .collect(Collectors.joining(" @@ ", "(", ")"));
    }
  }
}
