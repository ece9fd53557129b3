// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.walk;

import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.cut.state.CutTimers;
import io.retroscope.rql.cut.state.VariableColumn;
import io.retroscope.rql.engine.completeness.LostTime;
import io.retroscope.rql.engine.response.ResponsePattern;
import io.retroscope.rql.engine.run.CutRun;
import io.retroscope.rql.evaluation.Frame;
import io.retroscope.rql.print.ValueText;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** A query as it is evaluated at cuts: once, or once for each of FOR EACH. */
final class Question {
  /** The order of the rows of one cut. */
  static final Comparator<Question> BY_NAME =
      Comparator.comparing(Question::ofOrder).thenComparing(Question::name, NaturalOrder.INSTANCE);

  /** The order of the elements of FOR EACH NODE, as BY_NAME has them. */
  static final Comparator<Value> BY_NODE =
      Comparator.comparing(Question::nodeName, NaturalOrder.INSTANCE);

  private final @Nullable VariableColumn variable;
  private final Value element;
  private final boolean isOfNode;
  private final Frame frame;
  private final CutRun run;
  private final @Nullable ResponsePattern response;
  private long awaited = CutTimers.NEVER;
  private boolean present = true;

  /**
   * Creates a question that has not been evaluated.
   *
   * @param variable the variable of FOR EACH VARIABLE, null in other queries
   * @param element the element of FOR EACH NODE or VALUE, NULL in other queries
   * @param isOfNode whether it is one of FOR EACH NODE
   * @param response what THEN or AFTER makes of the runs, null in other queries
   */
  Question(
      @Nullable VariableColumn variable,
      Value element,
      boolean isOfNode,
      Frame frame,
      CutRun run,
      @Nullable ResponsePattern response) {
    this.variable = variable;
    this.element = element;
    this.isOfNode = isOfNode;
    this.frame = frame;
    this.run = run;
    this.response = response;
  }

  /** The element of FOR EACH NODE or VALUE, NULL in other queries. */
  Value element() {
    return element;
  }

  /** The name of its variable, or its element as text; empty in queries without FOR EACH. */
  String item() {
    if (variable != null) {
      return variable.name();
    }
    return element.equals(NullValue.NULL) ? "" : ValueText.of(element);
  }

  /** Its difference from the other questions of its walk. */
  Object key() {
    return variable == null ? element : variable;
  }

  /** Whether its element is present; without one its WHEN does not hold. */
  boolean isPresent() {
    return present;
  }

  void setPresent(boolean isPresent) {
    present = isPresent;
  }

  /**
   * Its element is present again.
   *
   * @param absentAt the stamp of the last cut without it
   */
  void returns(long absentAt) {
    present = true;
    if (response != null) {
      response.forgetOver(absentAt);
    }
  }

  /** Whether it is absent and nothing of it is open after the cut at a stamp. */
  boolean isOver(long hlc) {
    return !present && !run.holds() && (response == null || response.isOver(hlc));
  }

  /** Whether the next cut must be evaluated, because what holds now may end there. */
  boolean isUnsettled() {
    return (!present && run.holds()) || (response != null && response.isResolving());
  }

  /** Whether the end of the range may matter to it. */
  boolean isOpen() {
    return run.holds() || response != null;
  }

  private String name() {
    if (variable != null) {
      return variable.name();
    }
    return isOfNode ? nodeName(element) : "";
  }

  /** The element if the order of values is that of the questions; otherwise NULL. */
  private Value ofOrder() {
    return isOfNode ? NullValue.NULL : element;
  }

  private static String nodeName(Value element) {
    return element instanceof StringValue name ? name.value() : "";
  }

  Frame frame() {
    return frame;
  }

  CutRun run() {
    return run;
  }

  /** What THEN or AFTER makes of the runs; null without them. */
  @Nullable ResponsePattern response() {
    return response;
  }

  /** The packed stamp at which {@link #reached} must be called next, or {@link CutTimers#NEVER}. */
  long deadline() {
    long ofRun = run.isYoung() ? run.deadline() : CutTimers.NEVER;
    return response == null ? ofRun : Math.min(ofRun, response.next());
  }

  /** Records that all events below a stamp are known. */
  void reached(long hlc) {
    run.reached(hlc);
    if (response != null) {
      response.reached(hlc);
    }
  }

  /**
   * Records the end of the range.
   *
   * @param lost the time that stamps lost in the range
   */
  void endOfRange(long hlc, LostTime lost) {
    if (response != null) {
      response.finish(hlc);
    }
    run.endOfRange(hlc, lost);
  }

  /** The packed stamp that is scheduled for it, or {@link CutTimers#NEVER}. */
  long awaited() {
    return awaited;
  }

  void setAwaited(long hlc) {
    awaited = hlc;
  }
}
