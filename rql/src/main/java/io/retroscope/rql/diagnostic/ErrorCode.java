package io.retroscope.rql.diagnostic;

import java.util.IllegalFormatException;
import java.util.Locale;
import java.util.Optional;

/**
 * Every error that RQL can report. The code of an error never changes and is never given to
 * another; its message is a template whose gaps {@link #at} fills.
 *
 * <p>The hundreds tell the phase: 01 reading the text, 02 names, 03 types and places, 04 run time,
 * 05 what is not supported, 06 limits.
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
  MISPLACED_CLAUSE("RQL0110", "%s must stand %s"),
  STATEMENT_COUNT("RQL0111", "%s"),
  BAD_NAME("RQL0112", "%s"),
  UNEXPECTED_CHARACTER("RQL0113", "unexpected character %s"),

  QUERY_TOO_LONG("RQL0601", "the text has %d characters, more than the limit of %d"),
  NESTED_TOO_DEEP("RQL0602", "this is nested deeper than the limit of %d levels"),
  EXPRESSION_TOO_DEEP("RQL0603", "this expression is more than %d operators deep");

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

  /** The message with gaps, as {@link String#format} knows them. */
  public String template() {
    return template;
  }

  /**
   * The error at a place.
   *
   * @param gaps what fills the template, one for each gap
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
