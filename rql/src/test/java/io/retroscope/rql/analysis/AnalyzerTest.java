// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Expression.DeclarationKind;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.parser.OneStatement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AnalyzerTest {
  private static final Catalog CATALOG =
      TestCatalog.of(
          Map.of("setd", List.of("r1", "version"), "raft", List.of("role", "term", "version")),
          List.of("zk1", "zk2"));

  private AnalyzedQuery analyze(String text) {
    Statement.Query query = (Statement.Query) OneStatement.of(text);
    return new Analyzer(CATALOG, AnalysisLimits.DEFAULT).analyze(text, query);
  }

  @Test
  void analyze_bareName_isVariableOfItsLog() {
    AnalyzedQuery query = analyze("SELECT r1 FROM setd");
    Expression item = query.items().get(0).expression();
    assertThat(query.resolution().of(item)).isEqualTo(new Reference.Variable("setd", "r1"));
    assertThat(query.resolution().isCollection(item)).isTrue();
  }

  @Test
  void analyze_qualifiedName_isVariableAndNoField() {
    AnalyzedQuery query = analyze("SELECT raft.version FROM setd, raft");
    Expression.Field item = (Expression.Field) query.items().get(0).expression();
    assertThat(query.resolution().variable(item))
        .contains(new Reference.Variable("raft", "version"));
  }

  @Test
  void analyze_nestedQuantifiers_giveSlotsInOrder() {
    AnalyzedQuery query =
        analyze("SELECT r1 FROM setd WHEN EXISTS a, b IN r1 : (FORALL c IN r1 : (a <= c))");
    Expression.Quantified outer =
        (Expression.Quantified) query.query().when().orElseThrow().predicate();
    assertThat(query.resolution().firstSlot(outer)).isZero();
    assertThat(query.resolution().firstSlot((Expression.Quantified) outer.body())).isEqualTo(2);
    assertThat(query.boundSlots()).isEqualTo(3);
  }

  @Test
  void analyze_boundNode_isFoundBehindAt() {
    AnalyzedQuery query =
        analyze("SELECT term FROM raft WHEN EXISTS n IN NODES : (role@n = 'leader')");
    Expression.Quantified exists =
        (Expression.Quantified) query.query().when().orElseThrow().predicate();
    Expression.AtNode role = (Expression.AtNode) ((Expression.Binary) exists.body()).left();
    assertThat(query.resolution().bound(role)).contains(new Reference.Bound("n", 0));
  }

  @Test
  void analyze_outName_becomesColumnOnce() {
    AnalyzedQuery query =
        analyze("SELECT r1, worst FROM setd COMPUTE OUT worst AND worst := MAX(r1)");
    assertThat(query.items())
        .extracting(AnalyzedQuery.Item::heading)
        .containsExactly("r1", "worst");
    assertThat(query.declarations())
        .containsExactly(new Reference.Declared("worst", DeclarationKind.OUT, 0));
  }

  @Test
  void analyze_star_qualifiesSharedNames() {
    assertThat(analyze("SELECT * FROM setd, raft").items())
        .extracting(AnalyzedQuery.Item::heading)
        .containsExactly("r1", "setd.version", "role", "term", "raft.version");
  }

  @Test
  void analyze_unknownVariableInStream_isAccepted() {
    assertThat(analyze("SELECT STREAM later FROM setd").variables())
        .containsExactly(new Reference.Variable("setd", "later"));
  }

  @Test
  void analyze_starWithForEach_isNameAndValues() {
    assertThat(analyze("SELECT * FROM setd FOR EACH VARIABLE v").items())
        .extracting(AnalyzedQuery.Item::heading)
        .containsExactly("Name(v)", "v");
  }

  @Test
  void analyze_starOverReservedName_qualifiesIt() {
    Analyzer analyzer =
        new Analyzer(
            TestCatalog.of(Map.of("log", List.of("a", "time")), List.of()), AnalysisLimits.DEFAULT);
    String text = "SELECT * FROM log";
    Statement.Query query = (Statement.Query) OneStatement.of(text);
    assertThat(analyzer.analyze(text, query).items())
        .extracting(AnalyzedQuery.Item::heading)
        .containsExactly("a", "log.time");
  }

  @Test
  void analyze_repeatedItem_appearsOnce() {
    assertThat(analyze("SELECT r1, MAX(r1), r1, MAX(r1) FROM setd").items()).hasSize(2);
  }

  @Test
  void analyze_quotedNode_isNotTheBoundName() {
    AnalyzedQuery query = analyze("SELECT r1 FROM setd WHEN EXISTS zk1 IN NODES : (r1@`zk1` = 1)");
    Expression.Quantified exists =
        (Expression.Quantified) query.query().when().orElseThrow().predicate();
    Expression.AtNode atNode = (Expression.AtNode) ((Expression.Binary) exists.body()).left();
    assertThat(query.resolution().bound(atNode)).isEmpty();
  }

  @Test
  void analyze_declaredName_hidesVariable() {
    AnalyzedQuery query = analyze("SELECT r1 FROM setd COMPUTE VAR r1 AND r1 := 3");
    assertThat(query.resolution().of(query.items().get(0).expression()))
        .isEqualTo(new Reference.Declared("r1", DeclarationKind.VAR, 0));
    assertThat(query.variables()).isEmpty();
  }

  @Test
  void analyze_variables_areThoseNamedAnywhere() {
    AnalyzedQuery query =
        analyze(
            "SELECT r1 FROM setd, raft COMPUTE VAR x AND x := MAX(term)"
                + " WHEN role@zk1 = 'leader' PLAY harp NOTE setd.version@zk2");
    assertThat(query.variables())
        .extracting(Reference.Variable::name)
        .containsExactlyInAnyOrder("r1", "term", "role", "version");
  }

  @Test
  void analyze_logLineNames_areKnownBeforeAnyLine() {
    assertThat(analyze("SELECT message FROM setd").variables())
        .containsExactly(new Reference.Variable("setd", "message"));
  }

  @Test
  void analyze_manyItems_areAllResolved() {
    StringBuilder text = new StringBuilder("SELECT ");
    for (int i = 0; i < 1_500; i++) {
      text.append("MAX(r1) + version@zk1 AS a%d, ".formatted(i));
    }
    assertThat(analyze(text + "r1 FROM setd").items()).hasSize(1_501);
  }
}
