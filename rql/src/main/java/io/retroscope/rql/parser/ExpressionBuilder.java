// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.ast.Identifier;
import io.retroscope.rql.ast.NodeReference;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.SourceRange;
import io.retroscope.rql.parser.generated.RqlLexer;
import io.retroscope.rql.parser.generated.RqlParser.AdditiveContext;
import io.retroscope.rql.parser.generated.RqlParser.ArgumentsContext;
import io.retroscope.rql.parser.generated.RqlParser.AssignedContext;
import io.retroscope.rql.parser.generated.RqlParser.ComparatorContext;
import io.retroscope.rql.parser.generated.RqlParser.ComparisonContext;
import io.retroscope.rql.parser.generated.RqlParser.ComparisonTailContext;
import io.retroscope.rql.parser.generated.RqlParser.ComputedNodeContext;
import io.retroscope.rql.parser.generated.RqlParser.ConditionalTailContext;
import io.retroscope.rql.parser.generated.RqlParser.ConjunctContext;
import io.retroscope.rql.parser.generated.RqlParser.ConjunctionContext;
import io.retroscope.rql.parser.generated.RqlParser.CountPrimaryContext;
import io.retroscope.rql.parser.generated.RqlParser.DeclarationContext;
import io.retroscope.rql.parser.generated.RqlParser.DisjunctionContext;
import io.retroscope.rql.parser.generated.RqlParser.ExpressionContext;
import io.retroscope.rql.parser.generated.RqlParser.FieldSuffixContext;
import io.retroscope.rql.parser.generated.RqlParser.LiteralPrimaryContext;
import io.retroscope.rql.parser.generated.RqlParser.LogicalNotContext;
import io.retroscope.rql.parser.generated.RqlParser.MinusContext;
import io.retroscope.rql.parser.generated.RqlParser.MultiplicativeContext;
import io.retroscope.rql.parser.generated.RqlParser.NamePrimaryContext;
import io.retroscope.rql.parser.generated.RqlParser.NamedNodeContext;
import io.retroscope.rql.parser.generated.RqlParser.NodeReferenceContext;
import io.retroscope.rql.parser.generated.RqlParser.NodeSuffixContext;
import io.retroscope.rql.parser.generated.RqlParser.NodesPrimaryContext;
import io.retroscope.rql.parser.generated.RqlParser.NullTailContext;
import io.retroscope.rql.parser.generated.RqlParser.OperatorTailContext;
import io.retroscope.rql.parser.generated.RqlParser.ParenthesizedContext;
import io.retroscope.rql.parser.generated.RqlParser.PostfixContext;
import io.retroscope.rql.parser.generated.RqlParser.PrimaryContext;
import io.retroscope.rql.parser.generated.RqlParser.QuantificationContext;
import io.retroscope.rql.parser.generated.RqlParser.QuantifiedPrimaryContext;
import io.retroscope.rql.parser.generated.RqlParser.RangeContext;
import io.retroscope.rql.parser.generated.RqlParser.SetLiteralContext;
import io.retroscope.rql.parser.generated.RqlParser.SuffixContext;
import io.retroscope.rql.parser.generated.RqlParser.TimestampPrimaryContext;
import java.util.List;
import org.antlr.v4.runtime.ParserRuleContext;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.tree.ParseTree;

/** A builder of expressions. It rejects, with advice, some expressions that the grammar accepts. */
final class ExpressionBuilder extends AlternativeVisitor<Expression> {
  private final SourceTokens source;
  private final LiteralReader literals;
  private final List<Diagnostic> problems;

  ExpressionBuilder(SourceTokens source, LiteralReader literals, List<Diagnostic> problems) {
    this.source = source;
    this.literals = literals;
    this.problems = problems;
  }

  /** Skips grammar levels with a single child, because they consume stack. */
  @Override
  public Expression visit(ParseTree tree) {
    ParseTree inner = tree;
    while (!(inner instanceof PrimaryContext)
        && inner.getChildCount() == 1
        && inner.getChild(0) instanceof ParserRuleContext child) {
      inner = child;
    }
    return inner.accept(this);
  }

  @Override
  public Expression visitExpression(ExpressionContext context) {
    Expression result = visit(context.disjunction());
    return lastConjunct(context.disjunction()).ASSIGN() == null
        ? conditional(result, source.range(context), context.conditionalTail())
        : result;
  }

  private static ConjunctContext lastConjunct(DisjunctionContext context) {
    return last(last(context.conjunction()).conjunct());
  }

  private static <T> T last(List<T> list) {
    return list.get(list.size() - 1);
  }

  private Expression conditional(
      Expression condition, SourceRange whole, List<ConditionalTailContext> tails) {
    if (tails.isEmpty()) {
      return condition;
    }
    if (tails.size() > 1) {
      problems.add(
          ErrorCode.CHAINED_OPERATOR
              .at(source.range(tails.get(1).QUESTION().getSymbol()), "conditionals")
              .withHelp("put the inner one in parentheses: a ? (b) : (c ? (d) : (e))"));
    }
    return new Expression.Conditional(
        condition, visit(tails.get(0).whenTrue), visit(tails.get(0).otherwise), whole);
  }

  @Override
  public Expression visitDisjunction(DisjunctionContext context) {
    List<ConjunctionContext> operands = context.conjunction();
    for (int i = 1; i < operands.size(); i++) {
      List<ConjunctContext> conjuncts = operands.get(i - 1).conjunct();
      refuseAssignmentBefore("OR", last(conjuncts), operands.get(i));
    }
    return leftToRight(operands, BinaryOperator.OR);
  }

  @Override
  public Expression visitConjunction(ConjunctionContext context) {
    List<ConjunctContext> operands = context.conjunct();
    for (int i = 1; i < operands.size(); i++) {
      refuseAssignmentBefore("AND", operands.get(i - 1), operands.get(i));
    }
    return leftToRight(operands, BinaryOperator.AND);
  }

  private void refuseAssignmentBefore(
      String operator, ConjunctContext left, ParserRuleContext right) {
    if (left.ASSIGN() == null) {
      return;
    }
    String before = Remedy.brief(source.text(source.range(left)));
    String after = Remedy.brief(source.text(source.range(right)));
    int end = source.range(right).start();
    SourceRange between = new SourceRange(source.range(left).end(), end);
    problems.add(
        ErrorCode.ASSIGNMENT_NEEDS_PARENTHESES
            .at(Remedy.trimmed(source, between), operator)
            .withHelp("write (%s) %s %s".formatted(before, operator, after)));
  }

  private Expression leftToRight(
      List<? extends ParserRuleContext> operands, BinaryOperator operator) {
    Expression result = visit(operands.get(0));
    for (ParserRuleContext operand : operands.subList(1, operands.size())) {
      result = binary(operator, result, operands.get(0), operand);
    }
    return result;
  }

  private Expression binary(
      BinaryOperator operator,
      Expression left,
      ParserRuleContext leftContext,
      ParserRuleContext rightContext) {
    Expression right = visit(rightContext);
    SourceRange written = source.range(leftContext).to(source.range(rightContext));
    boolean hasTail = right.range().end() > written.end();
    SourceRange range = hasTail ? written.to(right.range()) : written;
    return new Expression.Binary(operator, left, right, range);
  }

  @Override
  public Expression visitConjunct(ConjunctContext context) {
    return context.ASSIGN() == null
        ? visit(context.negation())
        : assignment(context.negation(), context.assigned(), tailsBehind(context));
  }

  /** The {@code ? (a) : (b)} after the last operand of an expression. */
  private static List<ConditionalTailContext> tailsBehind(ConjunctContext context) {
    ParserRuleContext conjunction = context.getParent();
    ParserRuleContext disjunction = conjunction.getParent();
    return isLast(context, conjunction) && isLast(conjunction, disjunction)
        ? ((ExpressionContext) disjunction.getParent()).conditionalTail()
        : List.of();
  }

  private static boolean isLast(ParserRuleContext child, ParserRuleContext parent) {
    return child.stop == parent.stop;
  }

  private Expression assignment(
      ParserRuleContext target, AssignedContext assigned, List<ConditionalTailContext> tails) {
    Expression value = assignedValue(assigned, tails);
    SourceRange range = source.range(target).to(value.range());
    if (visit(target) instanceof Expression.Name name) {
      return new Expression.Assignment(name.identifier(), value, range);
    }
    problems.add(
        ErrorCode.UNEXPECTED
            .at(
                source.range(target),
                LexicalAdvice.quote(source.text(source.range(target))) + " to the left of :=",
                "a name declared by VAR, GLOBAL or OUT")
            .withHelp("to compare, write ="));
    return value;
  }

  private Expression assignedValue(AssignedContext assigned, List<ConditionalTailContext> tails) {
    if (assigned.ASSIGN() == null) {
      SourceRange own = source.range(assigned);
      SourceRange whole = tails.isEmpty() ? own : own.to(source.range(last(tails)));
      return conditional(visit(assigned.negation()), whole, tails);
    }
    String inner = Remedy.brief(source.text(source.range(assigned)));
    problems.add(
        ErrorCode.ASSIGNMENT_NEEDS_PARENTHESES
            .at(source.range(assigned.ASSIGN().getSymbol()), ":=")
            .withHelp("write (" + inner + ")"));
    return assignment(assigned.negation(), assigned.assigned(), tails);
  }

  @Override
  public Expression visitLogicalNot(LogicalNotContext context) {
    return new Expression.Unary(
        Expression.UnaryOperator.NOT, visit(context.negation()), source.range(context));
  }

  @Override
  public Expression visitComparison(ComparisonContext context) {
    Expression left = visit(context.additive());
    List<ComparisonTailContext> tails = context.comparisonTail();
    if (tails.isEmpty()) {
      return left;
    }
    if (tails.size() > 1) {
      refuseChain(context);
    }
    SourceRange range = source.range(context.additive()).to(source.range(tails.get(0)));
    if (tails.get(0) instanceof NullTailContext tail) {
      return new Expression.IsNull(left, tail.NOT() != null, range);
    }
    OperatorTailContext tail = (OperatorTailContext) tails.get(0);
    return new Expression.Binary(
        Operators.comparison(tail.comparator()), left, visit(tail.right), range);
  }

  private void refuseChain(ComparisonContext context) {
    ComparisonTailContext second = context.comparisonTail(1);
    SourceRange operator =
        second instanceof OperatorTailContext tail
            ? source.range(tail.comparator())
            : source.range(second);
    problems.add(
        ErrorCode.CHAINED_OPERATOR
            .at(operator, "comparisons")
            .withHelp(chainRemedy(context.additive(), context.comparisonTail(0), second)));
  }

  private String chainRemedy(
      AdditiveContext first, ComparisonTailContext second, ComparisonTailContext third) {
    if (second instanceof OperatorTailContext a && third instanceof OperatorTailContext b) {
      ComparatorContext comparator = b.comparator();
      return "write %s %s AND %s %s %s"
          .formatted(
              Remedy.brief(source.text(source.range(first))),
              Remedy.brief(source.text(source.range(a))),
              Remedy.brief(source.text(source.range(a.right))),
              source.text(source.range(comparator)),
              Remedy.brief(source.text(source.range(b.right))));
    }
    return "put the first comparison in parentheses";
  }

  @Override
  public Expression visitAdditive(AdditiveContext context) {
    return leftToRight(context.operands, context.operators);
  }

  @Override
  public Expression visitMultiplicative(MultiplicativeContext context) {
    return leftToRight(context.operands, context.operators);
  }

  private Expression leftToRight(
      List<? extends ParserRuleContext> operands, List<Token> operators) {
    Expression result = visit(operands.get(0));
    for (int i = 0; i < operators.size(); i++) {
      BinaryOperator operator = Operators.binary(operators.get(i));
      result = binary(operator, result, operands.get(0), operands.get(i + 1));
    }
    return result;
  }

  @Override
  public Expression visitRange(RangeContext context) {
    List<? extends ParserRuleContext> bounds = context.signed();
    if (bounds.size() == 1) {
      return visit(bounds.get(0));
    }
    if (bounds.size() > 2) {
      problems.add(
          ErrorCode.CHAINED_OPERATOR
              .at(source.range(context.DOT_DOT(1).getSymbol()), "ranges")
              .withHelp("a range has two bounds, as in 1..10"));
    }
    return binary(BinaryOperator.RANGE, visit(bounds.get(0)), bounds.get(0), bounds.get(1));
  }

  /** Joins a minus with the number directly after it, so that the smallest LONG can be written. */
  @Override
  public Expression visitMinus(MinusContext context) {
    SourceRange range = source.range(context);
    if (context.signed().postfix() != null
        && context.signed().postfix().suffix().isEmpty()
        && context.signed().postfix().primary() instanceof LiteralPrimaryContext primary
        && Operators.isNumber(primary.literal().value)) {
      return new Expression.Literal(literals.value(primary.literal().value, true), range);
    }
    return new Expression.Unary(Expression.UnaryOperator.NEGATE, visit(context.signed()), range);
  }

  @Override
  public Expression visitPostfix(PostfixContext context) {
    Expression result = visit(context.primary());
    for (SuffixContext suffix : context.suffix()) {
      SourceRange range = source.range(context.primary()).to(source.range(suffix));
      if (suffix instanceof FieldSuffixContext field) {
        refuseHalfNumber(context, suffix);
        result = new Expression.Field(result, identifier(field.field), range);
      } else {
        NodeReferenceContext node = ((NodeSuffixContext) suffix).nodeReference();
        result = new Expression.AtNode(result, nodeReference(node), range);
      }
    }
    return result;
  }

  private void refuseHalfNumber(PostfixContext context, SuffixContext suffix) {
    if (context.primary() instanceof LiteralPrimaryContext primary
        && Operators.isNumber(primary.literal().value)
        && suffix == context.suffix(0)) {
      String number = primary.getText();
      problems.add(
          ErrorCode.MALFORMED_NUMBER
              .at(
                  source.range(primary).to(source.range(suffix.getStart())),
                  LexicalAdvice.quote(number + "."))
              .withHelp("a DOUBLE has digits after its point: " + number + ".0"));
    }
  }

  private NodeReference nodeReference(NodeReferenceContext context) {
    SourceRange range = source.range(context);
    if (context instanceof ComputedNodeContext computed) {
      return new NodeReference.Computed(visit(computed.expression()), range);
    }
    return new NodeReference.Named(identifier(((NamedNodeContext) context).nodeName()), range);
  }

  /** Returns the name that a context of one token holds. */
  Identifier identifier(ParserRuleContext context) {
    return identifier(context.getStart());
  }

  private Identifier identifier(Token token) {
    SourceRange range = source.range(token);
    if (token.getType() != RqlLexer.QUOTED_IDENTIFIER) {
      return new Identifier(token.getText(), false, range);
    }
    String written = token.getText();
    String name = written.substring(1, written.length() - 1).replace("``", "`");
    if (name.isEmpty()) {
      problems.add(ErrorCode.BAD_NAME.at(range, "a name has at least one character"));
    }
    return new Identifier(name, true, range);
  }

  @Override
  public Expression visitLiteralPrimary(LiteralPrimaryContext context) {
    Value value = literals.value(context.literal().value, false);
    return new Expression.Literal(value, source.range(context));
  }

  @Override
  public Expression visitTimestampPrimary(TimestampPrimaryContext context) {
    long micros = literals.isoMicros(context.STRING().getSymbol());
    Value value = new Value.TimestampValue(HlcTimestamp.pack(micros));
    return new Expression.Literal(value, source.range(context));
  }

  @Override
  public Expression visitNamePrimary(NamePrimaryContext context) {
    Identifier name = identifier(context.plainName());
    return context.arguments() == null
        ? new Expression.Name(name, source.range(context))
        : call(name, context.arguments(), source.range(context));
  }

  @Override
  public Expression visitNodesPrimary(NodesPrimaryContext context) {
    return context.arguments() == null
        ? new Expression.Nodes(source.range(context))
        : call(identifier(context.getStart()), context.arguments(), source.range(context));
  }

  @Override
  public Expression visitCountPrimary(CountPrimaryContext context) {
    SourceRange range = source.range(context);
    if (context.quantification() != null) {
      boolean count = context.COUNT() != null;
      Expression.Quantifier quantifier =
          count ? Expression.Quantifier.COUNT : Expression.Quantifier.FILTER;
      return quantified(quantifier, context.quantification(), range);
    }
    Identifier name = identifier(context.getStart());
    return context.arguments() == null
        ? new Expression.Name(name, range)
        : call(name, context.arguments(), range);
  }

  private Expression call(Identifier function, ArgumentsContext arguments, SourceRange range) {
    List<Expression> values = arguments.expression().stream().map(this::visit).toList();
    return new Expression.Call(function, arguments.DISTINCT() != null, values, range);
  }

  @Override
  public Expression visitQuantifiedPrimary(QuantifiedPrimaryContext context) {
    return quantified(
        Operators.quantifier(context.quantifier), context.quantification(), source.range(context));
  }

  private Expression quantified(
      Expression.Quantifier quantifier, QuantificationContext context, SourceRange range) {
    return new Expression.Quantified(
        quantifier,
        context.variables.stream().map(this::identifier).toList(),
        visit(context.collection),
        visit(context.body),
        range);
  }

  @Override
  public Expression visitDeclaration(DeclarationContext context) {
    return new Expression.Declaration(
        Operators.declaration(context.kind), identifier(context.name()), source.range(context));
  }

  @Override
  public Expression visitSetLiteral(SetLiteralContext context) {
    return new Expression.SetLiteral(
        context.expression().stream().map(this::visit).toList(), source.range(context));
  }

  @Override
  public Expression visitParenthesized(ParenthesizedContext context) {
    return visit(context.expression());
  }
}
