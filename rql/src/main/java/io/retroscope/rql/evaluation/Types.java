// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.NumberValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.diagnostic.ErrorCode;
import java.util.LinkedHashMap;
import java.util.Map;

/** Tests of the types of values, and their names as errors show them. */
public final class Types {
  private Types() {}

  /** {@code a LONG}, {@code NULL} and so on. */
  public static String described(Value value) {
    return value instanceof NullValue ? "NULL" : "a " + value.typeName();
  }

  public static boolean isNull(Value value) {
    return value == NullValue.NULL || value instanceof NullValue;
  }

  public static boolean isTrue(Value value) {
    return value instanceof BooleanValue truth && truth.value();
  }

  /**
   * Returns the value by which values that compare as equal are found: a LONG for a DOUBLE without
   * a fraction, also in a SET and a STRUCT; any other value itself.
   */
  public static Value key(Value value) {
    if (value instanceof NumberValue number) {
      return number.key();
    }
    if (value instanceof SetValue set) {
      return new SetValue(set.elements().stream().map(Types::key).toList());
    }
    if (value instanceof StructValue struct) {
      Map<String, Value> keys = new LinkedHashMap<>();
      struct.fields().forEach((name, field) -> keys.put(name, key(field)));
      return new StructValue(keys);
    }
    return value;
  }

  /** Returns the value, which must be a BOOLEAN or NULL. */
  public static Value truth(Value value, String operation) {
    if (value instanceof BooleanValue || isNull(value)) {
      return value;
    }
    EvaluationException wrong = wrong(operation + " takes a BOOLEAN, not " + described(value));
    throw value instanceof NumberValue
        ? wrong.withHelp("only TRUE satisfies it; compare the number, as in ... != 0")
        : wrong;
  }

  /** Returns a field of a struct; NULL if the field is missing or the struct is NULL. */
  static Value field(Value struct, String name) {
    if (struct instanceof StructValue fields) {
      return fields.fields().getOrDefault(name, NullValue.NULL);
    }
    if (isNull(struct)) {
      return NullValue.NULL;
    }
    throw wrong("%s has no field \"%s\"".formatted(described(struct), name))
        .withHelp("structs have fields; the value of a variable at a node is written v@node");
  }

  public static EvaluationException wrong(String message) {
    return new EvaluationException(ErrorCode.WRONG_TYPE, message);
  }
}
