// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.grpc;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.retroscope.recorder.Ingress;
import io.retroscope.recorder.Recorder;

/**
 * The server interceptor: the stamp of a call is observed before the service sees the call, and the
 * response's headers and trailers carry the stamps of their send events. Thread-safe. The setting
 * {@link io.retroscope.recorder.RecorderBuilder#trustRemote} determines whether the call's stamp is
 * followed.
 *
 * <p>The headers of a unary response are sent before its message is passed to the transport, and
 * its trailers after it: the trailers' stamp is above every event that the service recorded for the
 * call.
 *
 * <p>Each call costs three stamps and three events and waits for nothing. A stamp that cannot be
 * read is treated as absent.
 */
public final class HlcServerInterceptor implements ServerInterceptor {
  private final Recorder recorder;
  private final Ingress ingress;

  /** An interceptor that propagates the recorder's clock, with the recorder's setting for trust. */
  public HlcServerInterceptor(Recorder recorder) {
    this(recorder, recorder.ingress());
  }

  /**
   * An interceptor that follows the stamps of calls or not, regardless of the recorder's settings.
   */
  public HlcServerInterceptor(Recorder recorder, boolean trustRemote) {
    this(recorder, recorder.ingress(trustRemote));
  }

  private HlcServerInterceptor(Recorder recorder, Ingress ingress) {
    this.recorder = recorder;
    this.ingress = ingress;
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    HlcMetadata.extract(headers).ifPresent(ingress::receive);
    return next.startCall(
        new SimpleForwardingServerCall<>(call) {
          @Override
          public void sendHeaders(Metadata answerHeaders) {
            HlcMetadata.inject(recorder.send(""), answerHeaders);
            super.sendHeaders(answerHeaders);
          }

          @Override
          public void close(Status status, Metadata trailers) {
            HlcMetadata.inject(recorder.send(""), trailers);
            super.close(status, trailers);
          }
        },
        headers);
  }
}
