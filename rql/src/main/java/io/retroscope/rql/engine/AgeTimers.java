package io.retroscope.rql.engine;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.rql.analysis.AnalyzedQuery;
import io.retroscope.rql.analysis.Function;
import io.retroscope.rql.analysis.Reference;
import io.retroscope.rql.analysis.Resolution;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.ast.NodeReference;
import io.retroscope.rql.cut.CutState;
import io.retroscope.rql.cut.CutTimers;
import io.retroscope.rql.cut.NodeTable;
import io.retroscope.rql.cut.VariableColumn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** Makes a cut when a comparison of Age(...) with a constant becomes true. */
final class AgeTimers implements CutTimers {
  /*
   * Only a node whose age reaches the constant can turn such a comparison. So every change of the
   * variable at a node sets an alarm at the change plus the constant; a later change puts it off.
   * When the alarm goes off, a comparison of one value (MAX(Age(r)) > 5s) makes a cut if it was not
   * TRUE before and is now; one that stands under a quantifier is asked for each binding, and the
   * binding of the alarm's node has just become true.
   */
  private final List<Comparison> comparisons;
  private final Map<VariableColumn, List<Watch>> watches = new HashMap<>();
  private final PriorityQueue<Alarm> alarms =
      new PriorityQueue<>(Comparator.comparingLong(Alarm::hlc));

  /**
   * A comparison in the query.
   *
   * @param delayMicros from the change to the moment at which it may become true
   * @param whole null where it has no value of its own, because a quantifier binds its names
   */
  private record Comparison(
      PerNodeEvaluator variable, long delayMicros, @Nullable Evaluator whole) {}

  private record Alarm(long hlc, int node, Watch watch) {}

  private AgeTimers(List<Comparison> comparisons) {
    this.comparisons = comparisons;
  }

  static AgeTimers of(AnalyzedQuery analyzed, Translator translator) {
    Search search = new Search(analyzed.resolution(), translator);
    analyzed.query().expressions().forEach(search::visit);
    return new AgeTimers(search.found);
  }

  /** Sets alarms for a question from now on. */
  void watch(Question question) {
    for (Comparison comparison : comparisons) {
      Watch watch = new Watch(comparison, question.frame());
      watches.computeIfAbsent(watch.column, column -> new ArrayList<>()).add(watch);
    }
  }

  @Override
  public long next() {
    return alarms.isEmpty() ? NEVER : alarms.peek().hlc();
  }

  @Override
  public void fire(CutState state) {
    if (comparisons.isEmpty()) {
      return;
    }
    while (!alarms.isEmpty() && alarms.peek().hlc() <= state.hlc()) {
      Alarm alarm = alarms.remove();
      alarm.watch().ring(alarm, state);
    }
    for (VariableColumn column : state.touched()) {
      watches.getOrDefault(column, List.of()).forEach(watch -> watch.update(state));
    }
  }

  /** One comparison, asked for one question. */
  private final class Watch {
    private final Comparison comparison;
    private final Frame frame;
    private final VariableColumn column;
    private boolean[] pending = new boolean[4];
    private boolean wasTrue;

    Watch(Comparison comparison, Frame frame) {
      this.comparison = comparison;
      this.frame = frame;
      this.column = (VariableColumn) comparison.variable().values(frame);
    }

    /** The variable was written: sets the alarms of the nodes where it changed. */
    void update(CutState state) {
      NodeTable nodes = state.nodes();
      if (pending.length < nodes.size()) {
        pending = Arrays.copyOf(pending, Math.max(nodes.size(), 2 * pending.length));
      }
      for (int node = 0; node < nodes.size(); node++) {
        if (column.at(node) != null && !pending[node] && due(node) > state.hlc()) {
          setAlarm(node);
        }
      }
      wasTrue = isTrue();
    }

    void ring(Alarm alarm, CutState state) {
      int node = alarm.node();
      pending[node] = false;
      if (column.at(node) == null || due(node) < state.hlc()) {
        return;
      }
      if (due(node) > state.hlc()) {
        setAlarm(node);
        return;
      }
      if (comparison.whole() == null) {
        state.touch(column);
        return;
      }
      boolean isTrue = isTrue();
      if (isTrue && !wasTrue) {
        state.touch(column);
      }
      wasTrue = isTrue;
    }

    /** One at a time for each node: when it goes off too early, the next is set. */
    private void setAlarm(int node) {
      pending[node] = true;
      alarms.add(new Alarm(due(node), node, this));
    }

    private long due(int node) {
      long micros = HlcTimestamp.micros(column.changedAt(node)) + comparison.delayMicros();
      return HlcTimestamp.pack(Math.max(0, Math.min(HlcTimestamp.MAX_MICROS, micros)));
    }

    private boolean isTrue() {
      if (comparison.whole() == null) {
        return false;
      }
      try {
        return Types.isTrue(comparison.whole().value(frame));
      } catch (EvaluationException e) {
        return false;
      }
    }
  }

  /** Finds the comparisons. */
  private static final class Search {
    private final Resolution resolution;
    private final Translator translator;
    private final List<Comparison> found = new ArrayList<>();

    Search(Resolution resolution, Translator translator) {
      this.resolution = resolution;
      this.translator = translator;
    }

    void visit(Expression expression) {
      visit(expression, List.of());
    }

    private void visit(Expression expression, List<Expression.Quantified> enclosing) {
      if (expression instanceof Expression.Binary binary) {
        consider(binary, enclosing);
      }
      List<Expression.Quantified> inside = enclosing;
      if (expression instanceof Expression.Quantified quantified) {
        visit(quantified.collection(), enclosing);
        inside = new ArrayList<>(enclosing);
        inside.add(quantified);
        visit(quantified.body(), inside);
        return;
      }
      for (Expression child : expression.children()) {
        visit(child, inside);
      }
    }

    private void consider(Expression.Binary binary, List<Expression.Quantified> enclosing) {
      Long constant = constant(binary.right());
      Expression asked = binary.left();
      BinaryOperator operator = binary.operator();
      if (constant == null) {
        constant = constant(binary.left());
        asked = binary.right();
        operator = mirrored(operator);
      }
      if (constant == null || !becomesTrueWithAge(operator)) {
        return;
      }
      long delay = operator == BinaryOperator.GREATER ? constant + 1 : constant;
      Expression.Call age = ageIn(asked, enclosing);
      if (age != null) {
        boolean perBinding = !enclosing.isEmpty() && !isWhole(asked);
        found.add(
            new Comparison(
                translator.perNode(age.arguments().get(0)),
                delay,
                perBinding ? null : translator.one(binary)));
      }
    }

    /** The call of Age that a comparison's operand stands for; null where it is something else. */
    private Expression.@Nullable Call ageIn(
        Expression asked, List<Expression.Quantified> enclosing) {
      if (asked instanceof Expression.AtNode atNode) {
        return age(atNode.variable());
      }
      if (asked instanceof Expression.Call call) {
        Function function = FunctionTranslator.function(call);
        boolean extreme = function == Function.MIN || function == Function.MAX;
        return extreme && call.arguments().size() == 1 ? age(call.arguments().get(0)) : null;
      }
      if (asked instanceof Expression.Name
          && !resolution.isCollection(asked)
          && resolution.of(asked) instanceof Reference.Bound bound) {
        for (Expression.Quantified quantified : enclosing) {
          int index = bound.slot() - resolution.firstSlot(quantified);
          if (index >= 0 && index < quantified.variables().size()) {
            return age(quantified.collection());
          }
        }
      }
      return null;
    }

    /** Whether the operand has one value for the whole cut, whatever quantifiers bind. */
    private boolean isWhole(Expression asked) {
      return asked instanceof Expression.Call
          || (asked instanceof Expression.AtNode atNode
              && atNode.node() instanceof NodeReference.Named named
              && resolution.boundNode(named).isEmpty());
    }

    private Expression.@Nullable Call age(Expression expression) {
      return expression instanceof Expression.Call call
              && FunctionTranslator.function(call) == Function.AGE
          ? call
          : null;
    }

    private @Nullable Long constant(Expression expression) {
      return expression instanceof Expression.Literal literal
              && literal.value() instanceof DurationValue duration
          ? Long.valueOf(duration.micros())
          : null;
    }

    private static boolean becomesTrueWithAge(BinaryOperator operator) {
      return operator == BinaryOperator.GREATER
          || operator == BinaryOperator.GREATER_OR_EQUAL
          || operator == BinaryOperator.EQUAL;
    }

    private static BinaryOperator mirrored(BinaryOperator operator) {
      return switch (operator) {
        case LESS -> BinaryOperator.GREATER;
        case LESS_OR_EQUAL -> BinaryOperator.GREATER_OR_EQUAL;
        case EQUAL -> BinaryOperator.EQUAL;
        default -> BinaryOperator.LESS;
      };
    }
  }
}
