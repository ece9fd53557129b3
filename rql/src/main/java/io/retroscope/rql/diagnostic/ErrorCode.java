// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.diagnostic;

import java.util.IllegalFormatException;
import java.util.Locale;
import java.util.Optional;

/**
 * The errors that RQL can report. The code of an error never changes and is never reused. Its
 * message is a template whose gaps {@link #at} fills.
 *
 * <p>The hundreds are the phase: 01 parsing, 02 names, 03 types and places, 04 run time, 06 limits.
 */
public enum ErrorCode {
  UNEXPECTED("RQL0101", "unexpected %s, expected %s"),
  UNTERMINATED("RQL0102", "this %s is never closed"),
  MALFORMED_NUMBER("RQL0103", "%s is neither a number nor a duration"),
  BAD_ESCAPE("RQL0104", "unknown escape %s in a string"),
  OUT_OF_RANGE("RQL0105", "%s does not fit %s"),
  BAD_TIME("RQL0106", "%s is not %s"),
  REPEATED_CLAUSE("RQL0107", "%s is given twice"),
  CHAINED_OPERATOR("RQL0108", "%s do not chain"),
  ASSIGNMENT_NEEDS_PARENTHESES("RQL0109", "%s to the right of := needs parentheses"),
  MISPLACED_CLAUSE("RQL0110", "%s must come %s"),
  STATEMENT_COUNT("RQL0111", "%s"),
  BAD_NAME("RQL0112", "%s"),
  UNEXPECTED_CHARACTER("RQL0113", "unexpected character %s"),
  NOT_IN_PARENTHESES("RQL0114", "an %s query does not take %s"),
  NOT_IN_VERDICT("RQL0115", "%s does not take %s"),
  ONLY_IN_RULE_FILE("RQL0116", "%s belongs to a file of rules"),
  NOT_A_RULE("RQL0117", "a file of rules contains only CREATE RULE, CREATE ALERT and DECLARE"),
  RULE_TWICE("RQL0118", "the rule %s is defined a second time"),
  NOT_IN_ALERT("RQL0119", "%s"),
  NEEDS_WITHIN("RQL0120", "%s needs WITHIN and a duration"),
  NOT_IN_RESPONSE("RQL0121", "%s does not take %s"),

  UNKNOWN_LOG("RQL0201", "unknown log \"%s\""),
  UNKNOWN_NODE("RQL0202", "unknown node \"%s\""),
  UNKNOWN_VARIABLE("RQL0203", "unknown variable \"%s\" in %s"),
  AMBIGUOUS_VARIABLE("RQL0204", "\"%s\" may be a variable of several logs: %s"),
  UNKNOWN_FUNCTION("RQL0205", "unknown function \"%s\""),
  NAME_TAKEN("RQL0206", "the name \"%s\" is taken already"),
  NOT_DECLARED("RQL0207", "\"%s\" is assigned to, but COMPUTE does not declare it"),
  RESERVED_COLUMN("RQL0208", "every result has a column \"%s\" of its own"),
  NODE_NOT_LISTED("RQL0209", "node \"%s\" is not listed in AT NODES"),
  REPEATED_NAME("RQL0210", "%s \"%s\" is named twice"),
  NO_CUT_HERE("RQL0211", "\"%s\" needs a cut, but %s has none"),
  REPEATED_COLUMN("RQL0212", "two columns are called \"%s\""),
  UNKNOWN_QUERY("RQL0213", "there is no running query %d"),
  UNKNOWN_COLUMN("RQL0214", "unknown column \"%s\": the inner query does not select it"),

  MISMATCH("RQL0301", "%s takes %s, not %s"),
  COLLECTION_AS_VALUE("RQL0302", "%s has a value at every node, but one value is needed here"),
  ARGUMENT_COUNT("RQL0303", "%s takes %s, not %d"),
  NO_DISTINCT("RQL0304", "%s does not take DISTINCT"),
  MISPLACED_EXPRESSION("RQL0305", "%s belongs in COMPUTE"),
  NOT_IN_STREAM("RQL0306", "a STREAM does not take %s"),
  BACKWARD_RANGE("RQL0307", "this range of time ends before it begins"),
  NOT_PER_NODE("RQL0308", "@ selects the value at one node, but %s is not a variable"),
  ONE_LOG_ONLY("RQL0309", "FOR EACH VARIABLE takes one log, and FROM names %d"),
  NOTHING_LIVE("RQL0310", "a STREAM cannot run here: this source has no live events"),
  NOT_ALLOWED("RQL0311", "%s changes data on the server, which needs the role admin"),
  NOT_FORGOTTEN("RQL0312", "%s"),
  BAD_SOUND("RQL0313", "%s"),
  NOT_GROUPED("RQL0314", "\"%s\" is neither in GROUP BY nor in an aggregate"),
  MISPLACED_AGGREGATE("RQL0315", "the aggregate %s is not possible %s"),
  BAD_POSITION("RQL0316", "there is no item %d to %s by"),
  NOT_EXPLAINED("RQL0321", "EXPLAIN CUT does not explain %s"),
  NO_RULES_HERE("RQL0322", "EXPLAIN EPISODE needs the file of its rule"),
  ALERT_REFUSED("RQL0323", "%s"),

  WRONG_TYPE("RQL0401", "%s"),
  OVERFLOW("RQL0402", "%s does not fit a LONG"),
  DIVISION_BY_ZERO("RQL0403", "division by zero"),
  OUT_OF_DOMAIN("RQL0404", "%s"),
  BAD_CONVERSION("RQL0405", "%s cannot be converted to a %s"),
  BAD_ARGUMENT("RQL0406", "%s"),

  QUERY_TOO_LONG("RQL0601", "the text has %d characters, more than the limit of %d"),
  NESTED_TOO_DEEP("RQL0602", "this is nested deeper than the limit of %d levels"),
  EXPRESSION_TOO_DEEP("RQL0603", "this expression is more than %d operators deep"),
  TOO_MANY_BOUND_NAMES("RQL0604", "quantifiers bind more than %d names at once"),
  TOO_MANY_COLUMNS("RQL0605", "the result has %d columns, more than the limit of %d"),
  STACK_EXHAUSTED("RQL0606", "this is nested too deep for the stack of the thread that runs it"),
  TOO_MANY_BINDINGS("RQL0611", "quantifiers try %d bindings in one cut, the limit is %d"),
  SET_TOO_LARGE("RQL0612", "this set would have %s elements, the limit is %d"),
  TOO_MANY_HELD_ROWS("RQL0613", "WHEN with FOR or THEN holds back more than the limit of %d rows"),
  TOO_MANY_VARIABLES("RQL0614", "FOR EACH VARIABLE found more than the limit of %d variables"),
  TEXT_TOO_LARGE("RQL0615", "this text would have more than the limit of %d characters"),
  QUERY_KILLED("RQL0616", "KILL QUERY %d has ended this statement"),
  TOO_MANY_OUTER_ROWS("RQL0617", "the outer query holds more than the limit of %,d %s"),
  TOO_MANY_ELEMENTS("RQL0618", "FOR EACH holds more than the limit of %,d elements at once");

  private final String code;
  private final String template;

  ErrorCode(String code, String template) {
    this.code = code;
    this.template = template;
  }

  /** The stable code: {@code RQL} and four digits. */
  public String code() {
    return code;
  }

  /**
   * Returns the error at a place.
   *
   * @param gaps the values for the template, one for each gap
   * @throws IllegalArgumentException if the gaps do not fit the template
   */
  public Diagnostic at(SourceRange range, Object... gaps) {
    try {
      String message = String.format(Locale.ROOT, template, gaps);
      return new Diagnostic(code, message, range, Optional.empty());
    } catch (IllegalFormatException e) {
      throw new IllegalArgumentException("gaps do not fit \"" + template + "\"", e);
    }
  }
}
