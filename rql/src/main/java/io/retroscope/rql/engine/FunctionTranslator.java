package io.retroscope.rql.engine;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.analysis.Function;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.cut.CutTime;
import io.retroscope.rql.cut.PerNode;
import io.retroscope.rql.cut.VariableColumn;
import io.retroscope.rql.diagnostic.SourceRange;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Turns calls of functions into evaluators. */
final class FunctionTranslator {
  private final Translator translator;

  FunctionTranslator(Translator translator) {
    this.translator = translator;
  }

  /** A call that has one value. */
  Evaluator one(Expression.Call call) {
    Function function = function(call);
    return switch (function) {
      case MIN -> several(Aggregate.MIN, call);
      case MAX -> several(Aggregate.MAX, call);
      case SUM -> several(Aggregate.SUM, call);
      case NODE_SUM -> several(Aggregate.SUM, call);
      case AVG -> several(Aggregate.AVG, call);
      case COUNT -> several(Aggregate.COUNT, call);
      case SPREAD -> several(Aggregate.SPREAD, call);
      case MEDIAN -> several(Aggregate.MEDIAN, call);
      case NODE -> nodeOf(call);
      case NODES -> translator.perNode(call.arguments().get(0)).asNodeNames();
      case NAME -> nameOf(call.arguments().get(0));
      case CHANGED -> changed(call.arguments().get(0));
      case TIME -> frame -> new TimestampValue(frame.state().hlc());
      case WALL_TIME -> FunctionTranslator::wallTime;
      case COALESCE -> coalesce(call);
      case IF ->
          Translator.conditional(
              call.arguments().get(0).range(),
              function.displayName(),
              translator.one(call.arguments().get(0)),
              translator.one(call.arguments().get(1)),
              translator.one(call.arguments().get(2)));
      case PREV, AGE -> throw new AssertionError("a per-node collection: " + function);
      default -> ofValues(function, call);
    };
  }

  /** Prev or Age: a call that has a value at every node. */
  PerNodeEvaluator perNode(Expression.Call call) {
    PerNodeEvaluator argument = translator.perNode(call.arguments().get(0));
    return switch (function(call)) {
      case PREV -> frame -> previous(column(argument, frame), frame.state().hlc());
      case AGE -> frame -> age(column(argument, frame), frame.state().hlc());
      default -> throw new AssertionError("no per-node collection: " + call.function().text());
    };
  }

  static Function function(Expression.Call call) {
    return Function.named(call.function().text())
        .orElseThrow(() -> new AssertionError("unknown function " + call.function().text()));
  }

  private static PerNode previous(VariableColumn column, long hlc) {
    return node -> column.before(node, hlc);
  }

  private static PerNode age(VariableColumn column, long hlc) {
    return node ->
        column.at(node) == null
            ? null
            : new DurationValue(
                HlcTimestamp.micros(hlc) - HlcTimestamp.micros(column.changedAt(node)));
  }

  private static VariableColumn column(PerNodeEvaluator evaluator, Frame frame) {
    if (evaluator.values(frame) instanceof VariableColumn column) {
      return column;
    }
    throw new AssertionError("not a variable");
  }

  private Evaluator several(Aggregate aggregate, Expression.Call call) {
    List<Expression> arguments = call.arguments();
    if (arguments.size() == 1) {
      ElementSource source = translator.elements(arguments.get(0), call.function().text());
      return new Aggregation(aggregate, call.distinct(), List.of(source), call.range());
    }
    List<ElementSource> sources = new ArrayList<>();
    arguments.forEach(argument -> sources.add(translator.elementsOrOne(argument)));
    return new Aggregation(aggregate, call.distinct(), sources, call.range());
  }

  private Evaluator nodeOf(Expression.Call call) {
    Evaluator bound = translator.one(call.arguments().get(0));
    return frame -> {
      List<String> node = ElementSource.nodeName(bound.source(frame), frame);
      return node.isEmpty() ? NullValue.NULL : Value.of(node.get(0));
    };
  }

  private Evaluator nameOf(Expression variable) {
    PerNodeEvaluator column = translator.perNode(variable);
    return frame -> Value.of(column(column, frame).name());
  }

  private Evaluator changed(Expression variable) {
    PerNodeEvaluator column = translator.perNode(variable);
    return frame -> Value.of(column(column, frame).changedIn(frame.state().hlc()));
  }

  private static Value wallTime(Frame frame) {
    CutTime time = frame.state().origin().time(frame.state().hlc(), frame.clockOffsets());
    return new TimestampValue(HlcTimestamp.pack(time.micros()));
  }

  private Evaluator coalesce(Expression.Call call) {
    List<Evaluator> choices = call.arguments().stream().map(translator::one).toList();
    return frame -> {
      for (Evaluator choice : choices) {
        Value value = choice.value(frame);
        if (!Types.isNull(value)) {
          return value;
        }
      }
      return NullValue.NULL;
    };
  }

  private Evaluator ofValues(Function function, Expression.Call call) {
    boolean takesSet =
        function == Function.CARDINALITY
            || function == Function.SUBSET
            || function == Function.FLATTEN;
    Evaluator[] operands =
        call.arguments().stream()
            .map(a -> takesSet ? translator.set(a) : translator.one(a))
            .toArray(Evaluator[]::new);
    QueryLimits limits = translator.limits();
    return new Operation(
        call.range(), values -> ScalarFunctions.apply(function, values, limits), operands);
  }

  /** An aggregate over what its arguments hold. */
  private record Aggregation(
      Aggregate aggregate, boolean distinct, List<ElementSource> sources, SourceRange range)
      implements Evaluator {
    @Override
    public Value value(Frame frame) {
      try {
        Value quick = quick(frame);
        return quick != null ? quick : slow(frame);
      } catch (EvaluationException e) {
        throw e.at(range);
      }
    }

    private @Nullable Value quick(Frame frame) {
      VariableColumn column =
          sources.size() == 1 && !distinct ? sources.get(0).column(frame) : null;
      return column == null ? null : Aggregate.ofColumn(aggregate, column);
    }

    private Value slow(Frame frame) {
      Elements elements = new Elements();
      for (ElementSource source : sources) {
        if (!source.gather(frame, elements)) {
          return NullValue.NULL;
        }
      }
      frame.work().add(elements.count());
      return aggregate.of(elements, distinct, frame);
    }
  }
}
