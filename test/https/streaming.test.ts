import './over-tls.ts';
import '../http/streaming.test.ts';
