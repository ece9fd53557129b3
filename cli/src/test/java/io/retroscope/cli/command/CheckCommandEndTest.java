// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** A check that ends by an error says nothing about its rules, and so does its exit code. */
class CheckCommandEndTest {
  @Test
  void decided_aVerdict_isItsCode() {
    assertThat(CheckCommand.decided(() -> ExitCode.FAILED)).isEqualTo(1);
    assertThat(CheckCommand.decided(() -> ExitCode.OK)).isZero();
  }

  @Test
  void decided_anExpectedError_keepsItsCode() {
    CommandException expected = new CommandException(ExitCode.CONNECTION_LOST, "gone");
    assertThat(thrown(throwing(expected))).isSameAs(expected);
  }

  @Test
  void decided_anInternalError_is6_notBroken() {
    for (Throwable error :
        new Throwable[] {
          new IllegalStateException("bug"), new IOException("disk"), new OutOfMemoryError("heap")
        }) {
      CommandException thrown = thrown(throwing(error));
      assertThat(thrown.exitCode().number()).isEqualTo(6);
      assertThat(thrown)
          .hasMessageContaining("the rules are not decided: " + error)
          .hasCause(error);
    }
  }

  @Test
  void decided_anInterrupt_is6_andRemainsSet() {
    CommandException thrown = thrown(throwing(new InterruptedException()));
    assertThat(Thread.interrupted()).isTrue();
    assertThat(thrown.exitCode()).isEqualTo(ExitCode.INTERNAL);
  }

  private static CommandException thrown(Callable<ExitCode> check) {
    return catchThrowableOfType(CommandException.class, () -> CheckCommand.decided(check));
  }

  private static Callable<ExitCode> throwing(Throwable error) {
    return () -> {
      if (error instanceof Error fatal) {
        throw fatal;
      }
      throw (Exception) error;
    };
  }
}
