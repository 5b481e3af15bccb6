// Written by test/support/openapi.ts from the services' routes: node dist/test/support/openapi.js
export interface paths {
    "/v1/account/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    after?: string | string[];
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    state?: "proposed" | "awaiting_approval" | "denied" | "withdrawn" | "admitted" | "sending" | "succeeded" | "failed" | "unknown" | "blocked" | "disputed";
                    runId?: string;
                    connector?: string;
                    subject?: string;
                    limit?: string;
                    after?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: {
                                actionKey: string;
                                connector: string;
                                operation: string;
                                subject: string;
                                revision: number;
                                state: "proposed" | "awaiting_approval" | "denied" | "withdrawn" | "admitted" | "sending" | "succeeded" | "failed" | "unknown" | "blocked" | "disputed";
                                code: string | null;
                                runId: string;
                                conversationId: string;
                                taskId: string;
                                proposalId: string;
                                requirementsVersion: number;
                                requestSha256: string;
                                target: {
                                    method: string;
                                    url: string;
                                };
                                /** Format: date-time */
                                openedAt: string;
                                approval: {
                                    interactionRef: string;
                                    previewSha256: string;
                                    decision: ("approve" | "deny") | null;
                                    by: string | null;
                                    at: string | null;
                                    /** Format: date-time */
                                    expiresAt: string;
                                    adoptedBy: number | null;
                                } | null;
                                attempts: {
                                    number: number;
                                    outcome: string | null;
                                    code: string | null;
                                    /** Format: date-time */
                                    sendBy: string;
                                    /** Format: date-time */
                                    startedAt: string;
                                    endedAt: string | null;
                                    httpStatus: number | null;
                                    body: string | null;
                                    headers: {
                                        [key: string]: string;
                                    } | null;
                                }[];
                                queries: number;
                                evidence: {
                                    by: "response" | "query" | "callback" | "attestation";
                                    outcome: "succeeded" | "failed";
                                    code: string | null;
                                    status: number | null;
                                    body: string | null;
                                    account: string | null;
                                    /** Format: date-time */
                                    at: string;
                                }[];
                                links: {
                                    kind: "compensates" | "compensated_by";
                                    actionKey: string;
                                }[];
                                cancel: {
                                    /** Format: date-time */
                                    requestedAt: string;
                                    tries: number;
                                    answeredAt: string | null;
                                    httpStatus: number | null;
                                    confirmedAt: string | null;
                                } | null;
                                purgedAt: string | null;
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/actions/{actionKey}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    actionKey: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            actionKey: string;
                            connector: string;
                            operation: string;
                            subject: string;
                            revision: number;
                            state: "proposed" | "awaiting_approval" | "denied" | "withdrawn" | "admitted" | "sending" | "succeeded" | "failed" | "unknown" | "blocked" | "disputed";
                            code: string | null;
                            runId: string;
                            conversationId: string;
                            taskId: string;
                            proposalId: string;
                            requirementsVersion: number;
                            requestSha256: string;
                            target: {
                                method: string;
                                url: string;
                            };
                            /** Format: date-time */
                            openedAt: string;
                            approval: {
                                interactionRef: string;
                                previewSha256: string;
                                decision: ("approve" | "deny") | null;
                                by: string | null;
                                at: string | null;
                                /** Format: date-time */
                                expiresAt: string;
                                adoptedBy: number | null;
                            } | null;
                            attempts: {
                                number: number;
                                outcome: string | null;
                                code: string | null;
                                /** Format: date-time */
                                sendBy: string;
                                /** Format: date-time */
                                startedAt: string;
                                endedAt: string | null;
                                httpStatus: number | null;
                                body: string | null;
                                headers: {
                                    [key: string]: string;
                                } | null;
                            }[];
                            queries: number;
                            evidence: {
                                by: "response" | "query" | "callback" | "attestation";
                                outcome: "succeeded" | "failed";
                                code: string | null;
                                status: number | null;
                                body: string | null;
                                account: string | null;
                                /** Format: date-time */
                                at: string;
                            }[];
                            links: {
                                kind: "compensates" | "compensated_by";
                                actionKey: string;
                            }[];
                            cancel: {
                                /** Format: date-time */
                                requestedAt: string;
                                tries: number;
                                answeredAt: string | null;
                                httpStatus: number | null;
                                confirmedAt: string | null;
                            } | null;
                            purgedAt: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/actions/{actionKey}/attestations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    actionKey: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        outcome: "succeeded" | "failed";
                        evidence: string;
                    };
                };
            };
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            actionKey: string;
                            connector: string;
                            operation: string;
                            subject: string;
                            revision: number;
                            state: "proposed" | "awaiting_approval" | "denied" | "withdrawn" | "admitted" | "sending" | "succeeded" | "failed" | "unknown" | "blocked" | "disputed";
                            code: string | null;
                            runId: string;
                            conversationId: string;
                            taskId: string;
                            proposalId: string;
                            requirementsVersion: number;
                            requestSha256: string;
                            target: {
                                method: string;
                                url: string;
                            };
                            /** Format: date-time */
                            openedAt: string;
                            approval: {
                                interactionRef: string;
                                previewSha256: string;
                                decision: ("approve" | "deny") | null;
                                by: string | null;
                                at: string | null;
                                /** Format: date-time */
                                expiresAt: string;
                                adoptedBy: number | null;
                            } | null;
                            attempts: {
                                number: number;
                                outcome: string | null;
                                code: string | null;
                                /** Format: date-time */
                                sendBy: string;
                                /** Format: date-time */
                                startedAt: string;
                                endedAt: string | null;
                                httpStatus: number | null;
                                body: string | null;
                                headers: {
                                    [key: string]: string;
                                } | null;
                            }[];
                            queries: number;
                            evidence: {
                                by: "response" | "query" | "callback" | "attestation";
                                outcome: "succeeded" | "failed";
                                code: string | null;
                                status: number | null;
                                body: string | null;
                                account: string | null;
                                /** Format: date-time */
                                at: string;
                            }[];
                            links: {
                                kind: "compensates" | "compensated_by";
                                actionKey: string;
                            }[];
                            cancel: {
                                /** Format: date-time */
                                requestedAt: string;
                                tries: number;
                                answeredAt: string | null;
                                httpStatus: number | null;
                                confirmedAt: string | null;
                            } | null;
                            purgedAt: string | null;
                        };
                    };
                };
                /** @description Default Response */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            actionKey: string;
                            connector: string;
                            operation: string;
                            subject: string;
                            revision: number;
                            state: "proposed" | "awaiting_approval" | "denied" | "withdrawn" | "admitted" | "sending" | "succeeded" | "failed" | "unknown" | "blocked" | "disputed";
                            code: string | null;
                            runId: string;
                            conversationId: string;
                            taskId: string;
                            proposalId: string;
                            requirementsVersion: number;
                            requestSha256: string;
                            target: {
                                method: string;
                                url: string;
                            };
                            /** Format: date-time */
                            openedAt: string;
                            approval: {
                                interactionRef: string;
                                previewSha256: string;
                                decision: ("approve" | "deny") | null;
                                by: string | null;
                                at: string | null;
                                /** Format: date-time */
                                expiresAt: string;
                                adoptedBy: number | null;
                            } | null;
                            attempts: {
                                number: number;
                                outcome: string | null;
                                code: string | null;
                                /** Format: date-time */
                                sendBy: string;
                                /** Format: date-time */
                                startedAt: string;
                                endedAt: string | null;
                                httpStatus: number | null;
                                body: string | null;
                                headers: {
                                    [key: string]: string;
                                } | null;
                            }[];
                            queries: number;
                            evidence: {
                                by: "response" | "query" | "callback" | "attestation";
                                outcome: "succeeded" | "failed";
                                code: string | null;
                                status: number | null;
                                body: string | null;
                                account: string | null;
                                /** Format: date-time */
                                at: string;
                            }[];
                            links: {
                                kind: "compensates" | "compensated_by";
                                actionKey: string;
                            }[];
                            cancel: {
                                /** Format: date-time */
                                requestedAt: string;
                                tries: number;
                                answeredAt: string | null;
                                httpStatus: number | null;
                                confirmedAt: string | null;
                            } | null;
                            purgedAt: string | null;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/actions/{actionKey}/compensations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    actionKey: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        operation: string;
                        subject: string;
                        params: unknown;
                    };
                };
            };
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            actionKey: string;
                            connector: string;
                            operation: string;
                            subject: string;
                            revision: number;
                            state: "proposed" | "awaiting_approval" | "denied" | "withdrawn" | "admitted" | "sending" | "succeeded" | "failed" | "unknown" | "blocked" | "disputed";
                            code: string | null;
                            runId: string;
                            conversationId: string;
                            taskId: string;
                            proposalId: string;
                            requirementsVersion: number;
                            requestSha256: string;
                            target: {
                                method: string;
                                url: string;
                            };
                            /** Format: date-time */
                            openedAt: string;
                            approval: {
                                interactionRef: string;
                                previewSha256: string;
                                decision: ("approve" | "deny") | null;
                                by: string | null;
                                at: string | null;
                                /** Format: date-time */
                                expiresAt: string;
                                adoptedBy: number | null;
                            } | null;
                            attempts: {
                                number: number;
                                outcome: string | null;
                                code: string | null;
                                /** Format: date-time */
                                sendBy: string;
                                /** Format: date-time */
                                startedAt: string;
                                endedAt: string | null;
                                httpStatus: number | null;
                                body: string | null;
                                headers: {
                                    [key: string]: string;
                                } | null;
                            }[];
                            queries: number;
                            evidence: {
                                by: "response" | "query" | "callback" | "attestation";
                                outcome: "succeeded" | "failed";
                                code: string | null;
                                status: number | null;
                                body: string | null;
                                account: string | null;
                                /** Format: date-time */
                                at: string;
                            }[];
                            links: {
                                kind: "compensates" | "compensated_by";
                                actionKey: string;
                            }[];
                            cancel: {
                                /** Format: date-time */
                                requestedAt: string;
                                tries: number;
                                answeredAt: string | null;
                                httpStatus: number | null;
                                confirmedAt: string | null;
                            } | null;
                            purgedAt: string | null;
                        };
                    };
                };
                /** @description Default Response */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            actionKey: string;
                            connector: string;
                            operation: string;
                            subject: string;
                            revision: number;
                            state: "proposed" | "awaiting_approval" | "denied" | "withdrawn" | "admitted" | "sending" | "succeeded" | "failed" | "unknown" | "blocked" | "disputed";
                            code: string | null;
                            runId: string;
                            conversationId: string;
                            taskId: string;
                            proposalId: string;
                            requirementsVersion: number;
                            requestSha256: string;
                            target: {
                                method: string;
                                url: string;
                            };
                            /** Format: date-time */
                            openedAt: string;
                            approval: {
                                interactionRef: string;
                                previewSha256: string;
                                decision: ("approve" | "deny") | null;
                                by: string | null;
                                at: string | null;
                                /** Format: date-time */
                                expiresAt: string;
                                adoptedBy: number | null;
                            } | null;
                            attempts: {
                                number: number;
                                outcome: string | null;
                                code: string | null;
                                /** Format: date-time */
                                sendBy: string;
                                /** Format: date-time */
                                startedAt: string;
                                endedAt: string | null;
                                httpStatus: number | null;
                                body: string | null;
                                headers: {
                                    [key: string]: string;
                                } | null;
                            }[];
                            queries: number;
                            evidence: {
                                by: "response" | "query" | "callback" | "attestation";
                                outcome: "succeeded" | "failed";
                                code: string | null;
                                status: number | null;
                                body: string | null;
                                account: string | null;
                                /** Format: date-time */
                                at: string;
                            }[];
                            links: {
                                kind: "compensates" | "compensated_by";
                                actionKey: string;
                            }[];
                            cancel: {
                                /** Format: date-time */
                                requestedAt: string;
                                tries: number;
                                answeredAt: string | null;
                                httpStatus: number | null;
                                confirmedAt: string | null;
                            } | null;
                            purgedAt: string | null;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/actions/{actionKey}/queries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    actionKey: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            actionKey: string;
                            connector: string;
                            operation: string;
                            subject: string;
                            revision: number;
                            state: "proposed" | "awaiting_approval" | "denied" | "withdrawn" | "admitted" | "sending" | "succeeded" | "failed" | "unknown" | "blocked" | "disputed";
                            code: string | null;
                            runId: string;
                            conversationId: string;
                            taskId: string;
                            proposalId: string;
                            requirementsVersion: number;
                            requestSha256: string;
                            target: {
                                method: string;
                                url: string;
                            };
                            /** Format: date-time */
                            openedAt: string;
                            approval: {
                                interactionRef: string;
                                previewSha256: string;
                                decision: ("approve" | "deny") | null;
                                by: string | null;
                                at: string | null;
                                /** Format: date-time */
                                expiresAt: string;
                                adoptedBy: number | null;
                            } | null;
                            attempts: {
                                number: number;
                                outcome: string | null;
                                code: string | null;
                                /** Format: date-time */
                                sendBy: string;
                                /** Format: date-time */
                                startedAt: string;
                                endedAt: string | null;
                                httpStatus: number | null;
                                body: string | null;
                                headers: {
                                    [key: string]: string;
                                } | null;
                            }[];
                            queries: number;
                            evidence: {
                                by: "response" | "query" | "callback" | "attestation";
                                outcome: "succeeded" | "failed";
                                code: string | null;
                                status: number | null;
                                body: string | null;
                                account: string | null;
                                /** Format: date-time */
                                at: string;
                            }[];
                            links: {
                                kind: "compensates" | "compensated_by";
                                actionKey: string;
                            }[];
                            cancel: {
                                /** Format: date-time */
                                requestedAt: string;
                                tries: number;
                                answeredAt: string | null;
                                httpStatus: number | null;
                                confirmedAt: string | null;
                            } | null;
                            purgedAt: string | null;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/callbacks/{connector}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    connector: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: string;
                    after?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: {
                                conversationId: string;
                                account: string;
                                title: string | null;
                                createdAt: string | null;
                                updatedAt: string | null;
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations/{conversationId}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Submit a message */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    conversationId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        clientMessageId?: string | null;
                        content?: string | null;
                        relation?: ("unspecified" | "new_task" | "follow_up" | "clarification" | "continue" | "amend" | "observe" | "control" | "entity_event") | null;
                        targetRunId?: string | null;
                        targetClientMessageId?: string | null;
                        expectedVersion?: number | null;
                        amendKind?: ("supplement" | "replace") | null;
                        continuationOfRunId?: string | null;
                        parentRunId?: string | null;
                        interactionRef?: string | null;
                        requestRevision?: number | null;
                        control?: ("progress" | "pause" | "resume" | "cancel") | null;
                        mode?: ("queue" | "parallel") | null;
                        dependsOnRunId?: string | null;
                        entityType?: string | null;
                        entityId?: string | null;
                        eventKind?: string | null;
                        eventAt?: string | null;
                        correlationId?: string | null;
                        agent?: string | null;
                        title?: string | null;
                        priority?: number | null;
                        scheduled?: boolean | null;
                        requirements?: (Record<string, never> | string) | null;
                    };
                };
            };
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            eventId: string;
                            /** Format: date-time */
                            occurredAt: string;
                            requestEventId: string | null;
                            tenant: string;
                            app: string;
                            account: string;
                            conversationId: string;
                            clientMessageId: string;
                            revision: number;
                            status: string;
                            duplicate: boolean;
                            relation: string | null;
                            messageId: string | null;
                            runId: string | null;
                            taskId: string | null;
                            targetRunId: string | null;
                            parentRunId: string | null;
                            continuationOfRunId: string | null;
                            requirementsVersion: number | null;
                            effectiveRequirements: {
                                texts: {
                                    version: number;
                                    text: string;
                                }[];
                                structured: unknown;
                            } | null;
                            interactionRef: string | null;
                            adoption: {
                                status: string;
                                reason: string | null;
                                runId: string | null;
                                turn: number | null;
                                inputSha256: string | null;
                            } | null;
                            progress: {
                                state: string;
                                waitingFor: unknown[];
                                requirementsVersion: number;
                                appliedVersion: number;
                                turns: number;
                                lastPublished: {
                                    version: number;
                                    seq: number;
                                    sha256: string;
                                } | null;
                            } | null;
                            result: {
                                state: string;
                                cause: string | null;
                                version: number | null;
                                sha256: string | null;
                            } | null;
                            code: string | null;
                            field: string | null;
                            detail: string | null;
                            candidates: {
                                runId: string;
                                taskId: string;
                                title: string | null;
                                state: string;
                                requirementsVersion: number;
                                interactionRef: string | null;
                                requestRevision: number | null;
                            }[];
                            contentSha256: string | null;
                        };
                    };
                };
                /** @description Default Response */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            eventId: string;
                            /** Format: date-time */
                            occurredAt: string;
                            requestEventId: string | null;
                            tenant: string;
                            app: string;
                            account: string;
                            conversationId: string;
                            clientMessageId: string;
                            revision: number;
                            status: string;
                            duplicate: boolean;
                            relation: string | null;
                            messageId: string | null;
                            runId: string | null;
                            taskId: string | null;
                            targetRunId: string | null;
                            parentRunId: string | null;
                            continuationOfRunId: string | null;
                            requirementsVersion: number | null;
                            effectiveRequirements: {
                                texts: {
                                    version: number;
                                    text: string;
                                }[];
                                structured: unknown;
                            } | null;
                            interactionRef: string | null;
                            adoption: {
                                status: string;
                                reason: string | null;
                                runId: string | null;
                                turn: number | null;
                                inputSha256: string | null;
                            } | null;
                            progress: {
                                state: string;
                                waitingFor: unknown[];
                                requirementsVersion: number;
                                appliedVersion: number;
                                turns: number;
                                lastPublished: {
                                    version: number;
                                    seq: number;
                                    sha256: string;
                                } | null;
                            } | null;
                            result: {
                                state: string;
                                cause: string | null;
                                version: number | null;
                                sha256: string | null;
                            } | null;
                            code: string | null;
                            field: string | null;
                            detail: string | null;
                            candidates: {
                                runId: string;
                                taskId: string;
                                title: string | null;
                                state: string;
                                requirementsVersion: number;
                                interactionRef: string | null;
                                requestRevision: number | null;
                            }[];
                            contentSha256: string | null;
                        };
                    };
                };
                /** @description Default Response */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            eventId: string;
                            /** Format: date-time */
                            occurredAt: string;
                            requestEventId: string | null;
                            tenant: string;
                            app: string;
                            account: string;
                            conversationId: string;
                            clientMessageId: string;
                            revision: number;
                            status: string;
                            duplicate: boolean;
                            relation: string | null;
                            messageId: string | null;
                            runId: string | null;
                            taskId: string | null;
                            targetRunId: string | null;
                            parentRunId: string | null;
                            continuationOfRunId: string | null;
                            requirementsVersion: number | null;
                            effectiveRequirements: {
                                texts: {
                                    version: number;
                                    text: string;
                                }[];
                                structured: unknown;
                            } | null;
                            interactionRef: string | null;
                            adoption: {
                                status: string;
                                reason: string | null;
                                runId: string | null;
                                turn: number | null;
                                inputSha256: string | null;
                            } | null;
                            progress: {
                                state: string;
                                waitingFor: unknown[];
                                requirementsVersion: number;
                                appliedVersion: number;
                                turns: number;
                                lastPublished: {
                                    version: number;
                                    seq: number;
                                    sha256: string;
                                } | null;
                            } | null;
                            result: {
                                state: string;
                                cause: string | null;
                                version: number | null;
                                sha256: string | null;
                            } | null;
                            code: string | null;
                            field: string | null;
                            detail: string | null;
                            candidates: {
                                runId: string;
                                taskId: string;
                                title: string | null;
                                state: string;
                                requirementsVersion: number;
                                interactionRef: string | null;
                                requestRevision: number | null;
                            }[];
                            contentSha256: string | null;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations/{conversationId}/messages/{clientMessageId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The newest receipt of a message */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    conversationId: string;
                    clientMessageId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            eventId: string;
                            /** Format: date-time */
                            occurredAt: string;
                            requestEventId: string | null;
                            tenant: string;
                            app: string;
                            account: string;
                            conversationId: string;
                            clientMessageId: string;
                            revision: number;
                            status: string;
                            duplicate: boolean;
                            relation: string | null;
                            messageId: string | null;
                            runId: string | null;
                            taskId: string | null;
                            targetRunId: string | null;
                            parentRunId: string | null;
                            continuationOfRunId: string | null;
                            requirementsVersion: number | null;
                            effectiveRequirements: {
                                texts: {
                                    version: number;
                                    text: string;
                                }[];
                                structured: unknown;
                            } | null;
                            interactionRef: string | null;
                            adoption: {
                                status: string;
                                reason: string | null;
                                runId: string | null;
                                turn: number | null;
                                inputSha256: string | null;
                            } | null;
                            progress: {
                                state: string;
                                waitingFor: unknown[];
                                requirementsVersion: number;
                                appliedVersion: number;
                                turns: number;
                                lastPublished: {
                                    version: number;
                                    seq: number;
                                    sha256: string;
                                } | null;
                            } | null;
                            result: {
                                state: string;
                                cause: string | null;
                                version: number | null;
                                sha256: string | null;
                            } | null;
                            code: string | null;
                            field: string | null;
                            detail: string | null;
                            candidates: {
                                runId: string;
                                taskId: string;
                                title: string | null;
                                state: string;
                                requirementsVersion: number;
                                interactionRef: string | null;
                                requestRevision: number | null;
                            }[];
                            contentSha256: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations/{conversationId}/purge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    conversationId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        account: string;
                        reason: string;
                    };
                };
            };
            responses: {
                /** @description Default Response */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            conversationId: string;
                            account: string;
                            runs: number;
                            /** Format: date-time */
                            purgedAt: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    after?: string | string[];
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conversations/{id}/snapshot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            cursor: string;
                            conversation: {
                                conversationId: string;
                                account: string;
                                title: string | null;
                                createdAt: string | null;
                                updatedAt: string | null;
                            };
                            messages: {
                                [key: string]: unknown;
                            }[];
                            receipts: {
                                [key: string]: unknown;
                            }[];
                            runs: {
                                [key: string]: unknown;
                            }[];
                            interactions: {
                                [key: string]: unknown;
                            }[];
                            actions: {
                                [key: string]: unknown;
                            }[];
                            reports: {
                                [key: string]: unknown;
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            documentId: string;
                            account: string;
                            current: {
                                sha256: string;
                                contentType: string | null;
                                sizeBytes: number | null;
                                basedOn: string[];
                                runId: string | null;
                                version: number | null;
                                seq: number | null;
                                by: string | null;
                                at: string | null;
                                body: string | null;
                            };
                            conflicts: {
                                sha256: string;
                                contentType: string | null;
                                sizeBytes: number | null;
                                basedOn: string[];
                                runId: string | null;
                                version: number | null;
                                seq: number | null;
                                by: string | null;
                                at: string | null;
                                body: string | null;
                                conflictsWith: string;
                            }[];
                            resolved: {
                                sha256: string;
                                conflictsWith: string;
                                at: string | null;
                                resolvedBy: string | null;
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/{id}/resolutions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        basedOn: string[];
                        body: string;
                        contentType: "text/markdown" | "text/plain" | "application/json";
                    };
                };
            };
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            documentId: string;
                            account: string;
                            current: {
                                sha256: string;
                                contentType: string | null;
                                sizeBytes: number | null;
                                basedOn: string[];
                                runId: string | null;
                                version: number | null;
                                seq: number | null;
                                by: string | null;
                                at: string | null;
                                body: string | null;
                            };
                            conflicts: {
                                sha256: string;
                                contentType: string | null;
                                sizeBytes: number | null;
                                basedOn: string[];
                                runId: string | null;
                                version: number | null;
                                seq: number | null;
                                by: string | null;
                                at: string | null;
                                body: string | null;
                                conflictsWith: string;
                            }[];
                            resolved: {
                                sha256: string;
                                conflictsWith: string;
                                at: string | null;
                                resolvedBy: string | null;
                            }[];
                        };
                    };
                };
                /** @description Default Response */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            documentId: string;
                            account: string;
                            current: {
                                sha256: string;
                                contentType: string | null;
                                sizeBytes: number | null;
                                basedOn: string[];
                                runId: string | null;
                                version: number | null;
                                seq: number | null;
                                by: string | null;
                                at: string | null;
                                body: string | null;
                            };
                            conflicts: {
                                sha256: string;
                                contentType: string | null;
                                sizeBytes: number | null;
                                basedOn: string[];
                                runId: string | null;
                                version: number | null;
                                seq: number | null;
                                by: string | null;
                                at: string | null;
                                body: string | null;
                                conflictsWith: string;
                            }[];
                            resolved: {
                                sha256: string;
                                conflictsWith: string;
                                at: string | null;
                                resolvedBy: string | null;
                            }[];
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inbox/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/interactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    state?: "open" | "answered" | "closed";
                    conversationId?: string;
                    limit?: string;
                    after?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: {
                                interactionRef: string;
                                requestRevision: number;
                                kind: "question" | "permission" | "approval";
                                mode: "non_blocking" | "blocking";
                                state: "open" | "answered" | "closed";
                                code: string | null;
                                conversationId: string;
                                taskId: string;
                                runId: string;
                                rootRunId: string;
                                requirementsVersion: number;
                                turn: number | null;
                                questionId: string | null;
                                actionKey: string | null;
                                recipient: string;
                                claimedBy: string | null;
                                /** @description Null where it was purged */
                                question: string | null;
                                choices: {
                                    id: string;
                                    label: string;
                                }[];
                                /** @description JSON Schema of `value`, where one was asked for */
                                schema: unknown;
                                /** @description What the run goes on with meanwhile */
                                default: unknown;
                                /** @description What a permission would give */
                                grant: unknown;
                                holdsReport: boolean;
                                previewSha256: string | null;
                                reminders: number;
                                remindedAt: string | null;
                                escalatedTo: string | null;
                                escalatedAt: string | null;
                                expiresAt: string | null;
                                publishedAt: string | null;
                                seenAt: string | null;
                                answeredAt: string | null;
                                adoptedAt: string | null;
                                purgedAt: string | null;
                                adoption: {
                                    status: "pending" | "adopted" | "void";
                                    reason: string | null;
                                    runId: string | null;
                                    turn: number | null;
                                    inputSha256: string | null;
                                } | null;
                                late: boolean;
                                response: {
                                    responseId: string;
                                    clientResponseId: string;
                                    text: string | null;
                                    choice: string | null;
                                    /** @description The structured answer */
                                    value: unknown;
                                    decision: string | null;
                                    respondedBy: string;
                                    late: boolean;
                                    previewSha256: string | null;
                                } | null;
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/interactions/{ref}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    ref: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            interactionRef: string;
                            requestRevision: number;
                            kind: "question" | "permission" | "approval";
                            mode: "non_blocking" | "blocking";
                            state: "open" | "answered" | "closed";
                            code: string | null;
                            conversationId: string;
                            taskId: string;
                            runId: string;
                            rootRunId: string;
                            requirementsVersion: number;
                            turn: number | null;
                            questionId: string | null;
                            actionKey: string | null;
                            recipient: string;
                            claimedBy: string | null;
                            /** @description Null where it was purged */
                            question: string | null;
                            choices: {
                                id: string;
                                label: string;
                            }[];
                            /** @description JSON Schema of `value`, where one was asked for */
                            schema: unknown;
                            /** @description What the run goes on with meanwhile */
                            default: unknown;
                            /** @description What a permission would give */
                            grant: unknown;
                            holdsReport: boolean;
                            previewSha256: string | null;
                            reminders: number;
                            remindedAt: string | null;
                            escalatedTo: string | null;
                            escalatedAt: string | null;
                            expiresAt: string | null;
                            publishedAt: string | null;
                            seenAt: string | null;
                            answeredAt: string | null;
                            adoptedAt: string | null;
                            purgedAt: string | null;
                            adoption: {
                                status: "pending" | "adopted" | "void";
                                reason: string | null;
                                runId: string | null;
                                turn: number | null;
                                inputSha256: string | null;
                            } | null;
                            late: boolean;
                            response: {
                                responseId: string;
                                clientResponseId: string;
                                text: string | null;
                                choice: string | null;
                                /** @description The structured answer */
                                value: unknown;
                                decision: string | null;
                                respondedBy: string;
                                late: boolean;
                                previewSha256: string | null;
                            } | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/interactions/{ref}/claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    ref: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            interactionRef: string;
                            requestRevision: number;
                            kind: "question" | "permission" | "approval";
                            mode: "non_blocking" | "blocking";
                            state: "open" | "answered" | "closed";
                            code: string | null;
                            conversationId: string;
                            taskId: string;
                            runId: string;
                            rootRunId: string;
                            requirementsVersion: number;
                            turn: number | null;
                            questionId: string | null;
                            actionKey: string | null;
                            recipient: string;
                            claimedBy: string | null;
                            /** @description Null where it was purged */
                            question: string | null;
                            choices: {
                                id: string;
                                label: string;
                            }[];
                            /** @description JSON Schema of `value`, where one was asked for */
                            schema: unknown;
                            /** @description What the run goes on with meanwhile */
                            default: unknown;
                            /** @description What a permission would give */
                            grant: unknown;
                            holdsReport: boolean;
                            previewSha256: string | null;
                            reminders: number;
                            remindedAt: string | null;
                            escalatedTo: string | null;
                            escalatedAt: string | null;
                            expiresAt: string | null;
                            publishedAt: string | null;
                            seenAt: string | null;
                            answeredAt: string | null;
                            adoptedAt: string | null;
                            purgedAt: string | null;
                            adoption: {
                                status: "pending" | "adopted" | "void";
                                reason: string | null;
                                runId: string | null;
                                turn: number | null;
                                inputSha256: string | null;
                            } | null;
                            late: boolean;
                            response: {
                                responseId: string;
                                clientResponseId: string;
                                text: string | null;
                                choice: string | null;
                                /** @description The structured answer */
                                value: unknown;
                                decision: string | null;
                                respondedBy: string;
                                late: boolean;
                                previewSha256: string | null;
                            } | null;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/interactions/{ref}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    ref: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/interactions/{ref}/responses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    ref: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        requestRevision: number;
                        clientResponseId: string;
                        text?: string | null;
                        choice?: string | null;
                        value?: unknown;
                        decision?: "approve" | "deny" | null;
                        previewSha256?: string | null;
                    };
                };
            };
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            interactionRef: string;
                            requestRevision: number;
                            kind: "question" | "permission" | "approval";
                            mode: "non_blocking" | "blocking";
                            state: "open" | "answered" | "closed";
                            code: string | null;
                            conversationId: string;
                            taskId: string;
                            runId: string;
                            rootRunId: string;
                            requirementsVersion: number;
                            turn: number | null;
                            questionId: string | null;
                            actionKey: string | null;
                            recipient: string;
                            claimedBy: string | null;
                            /** @description Null where it was purged */
                            question: string | null;
                            choices: {
                                id: string;
                                label: string;
                            }[];
                            /** @description JSON Schema of `value`, where one was asked for */
                            schema: unknown;
                            /** @description What the run goes on with meanwhile */
                            default: unknown;
                            /** @description What a permission would give */
                            grant: unknown;
                            holdsReport: boolean;
                            previewSha256: string | null;
                            reminders: number;
                            remindedAt: string | null;
                            escalatedTo: string | null;
                            escalatedAt: string | null;
                            expiresAt: string | null;
                            publishedAt: string | null;
                            seenAt: string | null;
                            answeredAt: string | null;
                            adoptedAt: string | null;
                            purgedAt: string | null;
                            adoption: {
                                status: "pending" | "adopted" | "void";
                                reason: string | null;
                                runId: string | null;
                                turn: number | null;
                                inputSha256: string | null;
                            } | null;
                            late: boolean;
                            response: {
                                responseId: string;
                                clientResponseId: string;
                                text: string | null;
                                choice: string | null;
                                /** @description The structured answer */
                                value: unknown;
                                decision: string | null;
                                respondedBy: string;
                                late: boolean;
                                previewSha256: string | null;
                            } | null;
                        };
                    };
                };
                /** @description Default Response */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            interactionRef: string;
                            requestRevision: number;
                            kind: "question" | "permission" | "approval";
                            mode: "non_blocking" | "blocking";
                            state: "open" | "answered" | "closed";
                            code: string | null;
                            conversationId: string;
                            taskId: string;
                            runId: string;
                            rootRunId: string;
                            requirementsVersion: number;
                            turn: number | null;
                            questionId: string | null;
                            actionKey: string | null;
                            recipient: string;
                            claimedBy: string | null;
                            /** @description Null where it was purged */
                            question: string | null;
                            choices: {
                                id: string;
                                label: string;
                            }[];
                            /** @description JSON Schema of `value`, where one was asked for */
                            schema: unknown;
                            /** @description What the run goes on with meanwhile */
                            default: unknown;
                            /** @description What a permission would give */
                            grant: unknown;
                            holdsReport: boolean;
                            previewSha256: string | null;
                            reminders: number;
                            remindedAt: string | null;
                            escalatedTo: string | null;
                            escalatedAt: string | null;
                            expiresAt: string | null;
                            publishedAt: string | null;
                            seenAt: string | null;
                            answeredAt: string | null;
                            adoptedAt: string | null;
                            purgedAt: string | null;
                            adoption: {
                                status: "pending" | "adopted" | "void";
                                reason: string | null;
                                runId: string | null;
                                turn: number | null;
                                inputSha256: string | null;
                            } | null;
                            late: boolean;
                            response: {
                                responseId: string;
                                clientResponseId: string;
                                text: string | null;
                                choice: string | null;
                                /** @description The structured answer */
                                value: unknown;
                                decision: string | null;
                                respondedBy: string;
                                late: boolean;
                                previewSha256: string | null;
                            } | null;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/interactions/{ref}/seen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    ref: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            interactionRef: string;
                            requestRevision: number;
                            kind: "question" | "permission" | "approval";
                            mode: "non_blocking" | "blocking";
                            state: "open" | "answered" | "closed";
                            code: string | null;
                            conversationId: string;
                            taskId: string;
                            runId: string;
                            rootRunId: string;
                            requirementsVersion: number;
                            turn: number | null;
                            questionId: string | null;
                            actionKey: string | null;
                            recipient: string;
                            claimedBy: string | null;
                            /** @description Null where it was purged */
                            question: string | null;
                            choices: {
                                id: string;
                                label: string;
                            }[];
                            /** @description JSON Schema of `value`, where one was asked for */
                            schema: unknown;
                            /** @description What the run goes on with meanwhile */
                            default: unknown;
                            /** @description What a permission would give */
                            grant: unknown;
                            holdsReport: boolean;
                            previewSha256: string | null;
                            reminders: number;
                            remindedAt: string | null;
                            escalatedTo: string | null;
                            escalatedAt: string | null;
                            expiresAt: string | null;
                            publishedAt: string | null;
                            seenAt: string | null;
                            answeredAt: string | null;
                            adoptedAt: string | null;
                            purgedAt: string | null;
                            adoption: {
                                status: "pending" | "adopted" | "void";
                                reason: string | null;
                                runId: string | null;
                                turn: number | null;
                                inputSha256: string | null;
                            } | null;
                            late: boolean;
                            response: {
                                responseId: string;
                                clientResponseId: string;
                                text: string | null;
                                choice: string | null;
                                /** @description The structured answer */
                                value: unknown;
                                decision: string | null;
                                respondedBy: string;
                                late: boolean;
                                previewSha256: string | null;
                            } | null;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ops/connectors/{name}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason?: string;
                    } | null;
                };
            };
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            connector: string;
                            paused: boolean;
                            released?: number;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ops/connectors/{name}/queries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason?: string;
                    } | null;
                };
            };
            responses: {
                /** @description Default Response */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            connector: string;
                            asked: number;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ops/connectors/{name}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason?: string;
                    } | null;
                };
            };
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            connector: string;
                            paused: boolean;
                            released?: number;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ops/quotas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What tenants have used of their quotas */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: {
                                tenant: string;
                                messagesPerDay: number;
                                /** @description the UTC day, by the clock of the database */
                                day: string;
                                /** @description admitted on that day since the quota is set */
                                messages: number;
                                left: number;
                                /** Format: date-time */
                                endsAt: string;
                            }[];
                            next: null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ops/runs/{runId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    runId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                    };
                };
            };
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            runId: string;
                            state: "queued" | "running" | "waiting" | "parked" | "pausing" | "paused" | "cancelling" | "publishing" | "closing" | "completed" | "partial" | "failed" | "cancelled" | "interrupted";
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ops/runs/{runId}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    runId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                    };
                };
            };
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            runId: string;
                            state: "queued" | "running" | "waiting" | "parked" | "pausing" | "paused" | "cancelling" | "publishing" | "closing" | "completed" | "partial" | "failed" | "cancelled" | "interrupted";
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ops/runs/{runId}/release-lease": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    runId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                    };
                };
            };
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            runId: string;
                            state: "queued" | "running" | "waiting" | "parked" | "pausing" | "paused" | "cancelling" | "publishing" | "closing" | "completed" | "partial" | "failed" | "cancelled" | "interrupted";
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ops/runs/{runId}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    runId: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                    };
                };
            };
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            runId: string;
                            state: "queued" | "running" | "waiting" | "parked" | "pausing" | "paused" | "cancelling" | "publishing" | "closing" | "completed" | "partial" | "failed" | "cancelled" | "interrupted";
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ops/{service}/dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                service: "admission" | "run-executor" | "hil" | "effect-ledger" | "publication";
            };
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    service: "admission" | "run-executor" | "hil" | "effect-ledger" | "publication";
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: {
                                /** @description topic:partition:offset */
                                id: string;
                                consumer: string;
                                topic: string;
                                code: string;
                                message: string;
                                /** Format: date-time */
                                at: string;
                                attempts: number;
                                redriveCount: number;
                                state: "dead" | "redriven" | "skipped";
                                key: string | null;
                                preview: string | null;
                                decoded: {
                                    record: string;
                                    value: unknown;
                                } | null;
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ops/{service}/dead-letters/purge": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                service: "admission" | "run-executor" | "hil" | "effect-ledger" | "publication";
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    service: "admission" | "run-executor" | "hil" | "effect-ledger" | "publication";
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        olderThanDays: number;
                        code?: string;
                        reason: string;
                        dryRun?: boolean;
                    };
                };
            };
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            matched: number;
                            waiting: number;
                            purged: number;
                            dryRun: boolean;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ops/{service}/dead-letters/redrive": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                service: "admission" | "run-executor" | "hil" | "effect-ledger" | "publication";
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    service: "admission" | "run-executor" | "hil" | "effect-ledger" | "publication";
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        code?: string;
                        dryRun?: boolean;
                        perSec?: number;
                    };
                };
            };
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            matched: number;
                            redriven: number;
                            failed: number;
                            dryRun: boolean;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ops/{service}/dead-letters/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                service: "admission" | "run-executor" | "hil" | "effect-ledger" | "publication";
            };
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    service: "admission" | "run-executor" | "hil" | "effect-ledger" | "publication";
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @description topic:partition:offset */
                            id: string;
                            consumer: string;
                            topic: string;
                            code: string;
                            message: string;
                            /** Format: date-time */
                            at: string;
                            attempts: number;
                            redriveCount: number;
                            state: "dead" | "redriven" | "skipped";
                            key: string | null;
                            preview: string | null;
                            decoded: {
                                record: string;
                                value: unknown;
                            } | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ops/{service}/dead-letters/{id}/purge": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                service: "admission" | "run-executor" | "hil" | "effect-ledger" | "publication";
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    service: "admission" | "run-executor" | "hil" | "effect-ledger" | "publication";
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                    };
                };
            };
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            state: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ops/{service}/dead-letters/{id}/redrive": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                service: "admission" | "run-executor" | "hil" | "effect-ledger" | "publication";
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    service: "admission" | "run-executor" | "hil" | "effect-ledger" | "publication";
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            state: string;
                            code: string | null;
                            message: string | null;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ops/{service}/dead-letters/{id}/skip": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                service: "admission" | "run-executor" | "hil" | "effect-ledger" | "publication";
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    service: "admission" | "run-executor" | "hil" | "effect-ledger" | "publication";
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                    };
                };
            };
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            state: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ops/{service}/incidents": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                service: "admission" | "run-executor" | "hil" | "effect-ledger" | "publication";
            };
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    service: "admission" | "run-executor" | "hil" | "effect-ledger" | "publication";
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: {
                                id: string;
                                kind: string;
                                ref: string;
                                reason: string;
                                actions: string[];
                                /** Format: date-time */
                                openedAt: string;
                                acknowledgedAt: string | null;
                                closedAt: string | null;
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ops/{service}/incidents/{id}/acknowledge": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                service: "admission" | "run-executor" | "hil" | "effect-ledger" | "publication";
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    service: "admission" | "run-executor" | "hil" | "effect-ledger" | "publication";
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            id: string;
                            state: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ops/{service}/lag": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                service: "admission" | "run-executor" | "hil" | "effect-ledger" | "publication";
            };
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    service: "admission" | "run-executor" | "hil" | "effect-ledger" | "publication";
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: {
                                group: string;
                                topic: string;
                                partition: number;
                                lag: number;
                                timeLagSeconds: number;
                                progressAgeSeconds: number;
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ops/{service}/outbox/blocked": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                service: "admission" | "run-executor" | "hil" | "effect-ledger" | "publication";
            };
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    service: "admission" | "run-executor" | "hil" | "effect-ledger" | "publication";
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: {
                                key: string;
                                topic: string;
                                recordKey: string | null;
                                eventId: string;
                                message: string | null;
                                /** Format: date-time */
                                at: string;
                                waiting: number;
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ops/{service}/outbox/{key}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                service: "admission" | "run-executor" | "hil" | "effect-ledger" | "publication";
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    service: "admission" | "run-executor" | "hil" | "effect-ledger" | "publication";
                    key: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            key: string;
                            state: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ops/{service}/outbox/{key}/skip": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                service: "admission" | "run-executor" | "hil" | "effect-ledger" | "publication";
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    service: "admission" | "run-executor" | "hil" | "effect-ledger" | "publication";
                    key: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason: string;
                    };
                };
            };
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            key: string;
                            state: string;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ops/{service}/status": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                service: "admission" | "run-executor" | "hil" | "effect-ledger" | "publication";
            };
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    service: "admission" | "run-executor" | "hil" | "effect-ledger" | "publication";
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            instances: {
                                instance: string;
                                /** Format: date-time */
                                seenAt: string;
                                lag: number;
                                timeLagSeconds: number;
                            }[];
                            history: {
                                /** Format: date-time */
                                at: string;
                                lag: number;
                                timeLagSeconds: number;
                            }[];
                            outbox: {
                                pending: number;
                                oldestSeconds: number;
                                blockedKeys: number;
                            };
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/queue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: {
                                place: number;
                                runId: string;
                                conversationId: string;
                                priority: number;
                                /** Format: date-time */
                                enqueuedAt: string;
                                reason: string;
                                waitingFor: {
                                    kind: "slot" | "tools" | "action" | "answer" | "child" | "dependency" | "fence" | "publication" | "retry" | "cancel";
                                    ref: string;
                                    /** Format: date-time */
                                    since: string;
                                    deadline: string | null;
                                }[];
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: {
                                runId: string;
                                taskId: string;
                                conversationId: string;
                                tenant: string;
                                account: string;
                                agent: string;
                                title: string | null;
                                messageId: string | null;
                                state: "queued" | "running" | "waiting" | "parked" | "pausing" | "paused" | "cancelling" | "publishing" | "closing" | "completed" | "partial" | "failed" | "cancelled" | "interrupted";
                                waitingFor: {
                                    kind: "slot" | "tools" | "action" | "answer" | "child" | "dependency" | "fence" | "publication" | "retry" | "cancel";
                                    ref: string;
                                    /** Format: date-time */
                                    since: string;
                                    deadline: string | null;
                                }[];
                                cause: string | null;
                                detail: string | null;
                                stateRevision: number;
                                requirementsVersion: number;
                                appliedVersion: number;
                                turns: number;
                                versions: {
                                    version: number;
                                    kind: string;
                                    /** @description Null where the content of the run was purged */
                                    text: string | null;
                                    understood: string | null;
                                    /** Format: date-time */
                                    receivedAt: string;
                                    appliedAt: string | null;
                                }[];
                                effectiveRequirements: {
                                    texts: {
                                        version: number;
                                        text: string;
                                    }[];
                                    /** @description The structured values in force, a JSON object */
                                    structured: unknown;
                                };
                                /** @description The structured values in force, a JSON object */
                                structured: unknown;
                                /** @description What each change of version or control found */
                                transitions: {
                                    /** Format: date-time */
                                    at: string;
                                }[];
                                steps: {
                                    callId: string;
                                    tool: string;
                                    status: string;
                                    requirementsVersion: number;
                                    needsRecheck: boolean;
                                    resultSha256: string | null;
                                }[];
                                pendingUpdates: {
                                    kind: string;
                                    messageId: string;
                                    clientMessageId: string | null;
                                    version: number | null;
                                    /** Format: date-time */
                                    receivedAt: string;
                                }[];
                                budget: {
                                    turnsLeft: number;
                                    costLeft: number | null;
                                    /** Format: date-time */
                                    hardDeadline: string;
                                };
                                grants: {
                                    tools: string[];
                                    connectors: string[];
                                    sources: string[];
                                    consents: string[];
                                    given: {
                                        grant: string;
                                        from: string;
                                        /** Format: date-time */
                                        until: string;
                                    }[];
                                };
                                actions: {
                                    actionKey: string | null;
                                    proposalId: string;
                                    connector: string;
                                    operation: string;
                                    subject: string;
                                    state: string;
                                    code: string | null;
                                    requirementsVersion: number;
                                }[];
                                interactions: {
                                    interactionRef: string;
                                    questionId: string;
                                    kind: string;
                                    state: string;
                                    requirementsVersion: number;
                                }[];
                                children: {
                                    childId: string;
                                    runId: string;
                                    agent: string;
                                    state: string | null;
                                    requirementsVersion: number;
                                    needsRecheck: boolean;
                                    report: {
                                        version: number;
                                        seq: number;
                                        sha256: string;
                                    } | null;
                                }[];
                                continuation: {
                                    ofRunId: string;
                                    originalSha256: string | null;
                                    grantsCut: string[];
                                    parentCause: string | null;
                                } | null;
                                unsettledActions: string[];
                                lateSettlements: {
                                    actionKey: string;
                                    state: string;
                                    /** Format: date-time */
                                    at: string;
                                }[];
                                report: {
                                    version: number;
                                    seq: number;
                                    sha256: string;
                                } | null;
                                lastPublished: {
                                    version: number;
                                    seq: number;
                                    sha256: string;
                                } | null;
                                leaseEpoch: number;
                                parentRunId: string | null;
                                rootRunId: string;
                                continuationOfRunId: string | null;
                                /** Format: date-time */
                                enqueuedAt: string;
                                startedAt: string | null;
                                endedAt: string | null;
                                purgedAt: string | null;
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    runId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            runId: string;
                            taskId: string;
                            conversationId: string;
                            tenant: string;
                            account: string;
                            agent: string;
                            title: string | null;
                            messageId: string | null;
                            state: "queued" | "running" | "waiting" | "parked" | "pausing" | "paused" | "cancelling" | "publishing" | "closing" | "completed" | "partial" | "failed" | "cancelled" | "interrupted";
                            waitingFor: {
                                kind: "slot" | "tools" | "action" | "answer" | "child" | "dependency" | "fence" | "publication" | "retry" | "cancel";
                                ref: string;
                                /** Format: date-time */
                                since: string;
                                deadline: string | null;
                            }[];
                            cause: string | null;
                            detail: string | null;
                            stateRevision: number;
                            requirementsVersion: number;
                            appliedVersion: number;
                            turns: number;
                            versions: {
                                version: number;
                                kind: string;
                                /** @description Null where the content of the run was purged */
                                text: string | null;
                                understood: string | null;
                                /** Format: date-time */
                                receivedAt: string;
                                appliedAt: string | null;
                            }[];
                            effectiveRequirements: {
                                texts: {
                                    version: number;
                                    text: string;
                                }[];
                                /** @description The structured values in force, a JSON object */
                                structured: unknown;
                            };
                            /** @description The structured values in force, a JSON object */
                            structured: unknown;
                            /** @description What each change of version or control found */
                            transitions: {
                                /** Format: date-time */
                                at: string;
                            }[];
                            steps: {
                                callId: string;
                                tool: string;
                                status: string;
                                requirementsVersion: number;
                                needsRecheck: boolean;
                                resultSha256: string | null;
                            }[];
                            pendingUpdates: {
                                kind: string;
                                messageId: string;
                                clientMessageId: string | null;
                                version: number | null;
                                /** Format: date-time */
                                receivedAt: string;
                            }[];
                            budget: {
                                turnsLeft: number;
                                costLeft: number | null;
                                /** Format: date-time */
                                hardDeadline: string;
                            };
                            grants: {
                                tools: string[];
                                connectors: string[];
                                sources: string[];
                                consents: string[];
                                given: {
                                    grant: string;
                                    from: string;
                                    /** Format: date-time */
                                    until: string;
                                }[];
                            };
                            actions: {
                                actionKey: string | null;
                                proposalId: string;
                                connector: string;
                                operation: string;
                                subject: string;
                                state: string;
                                code: string | null;
                                requirementsVersion: number;
                            }[];
                            interactions: {
                                interactionRef: string;
                                questionId: string;
                                kind: string;
                                state: string;
                                requirementsVersion: number;
                            }[];
                            children: {
                                childId: string;
                                runId: string;
                                agent: string;
                                state: string | null;
                                requirementsVersion: number;
                                needsRecheck: boolean;
                                report: {
                                    version: number;
                                    seq: number;
                                    sha256: string;
                                } | null;
                            }[];
                            continuation: {
                                ofRunId: string;
                                originalSha256: string | null;
                                grantsCut: string[];
                                parentCause: string | null;
                            } | null;
                            unsettledActions: string[];
                            lateSettlements: {
                                actionKey: string;
                                state: string;
                                /** Format: date-time */
                                at: string;
                            }[];
                            report: {
                                version: number;
                                seq: number;
                                sha256: string;
                            } | null;
                            lastPublished: {
                                version: number;
                                seq: number;
                                sha256: string;
                            } | null;
                            leaseEpoch: number;
                            parentRunId: string | null;
                            rootRunId: string;
                            continuationOfRunId: string | null;
                            /** Format: date-time */
                            enqueuedAt: string;
                            startedAt: string | null;
                            endedAt: string | null;
                            purgedAt: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    after?: string | string[];
                };
                header?: never;
                path: {
                    runId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    limit?: string;
                    after?: string;
                };
                header?: never;
                path: {
                    runId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: {
                                runId: string;
                                taskId: string;
                                conversationId: string;
                                version: number;
                                seq: number;
                                status: "partial" | "final" | "superseded" | "late";
                                current: boolean;
                                sha256: string;
                                contentType: string;
                                sizeBytes: number;
                                sources: unknown[];
                                actions: unknown[];
                                unsettledActions: string[];
                                turn: number | null;
                                publishedAt: string | null;
                                /** Format: date-time */
                                purgedAt?: string;
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/reports/current": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    runId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/reports/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    runId: string;
                    version: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/reports/{version}/{seq}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    runId: string;
                    version: string;
                    seq: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    runId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            runId: string;
                            state: "queued" | "running" | "waiting" | "parked" | "pausing" | "paused" | "cancelling" | "publishing" | "closing" | "completed" | "partial" | "failed" | "cancelled" | "interrupted";
                            cause: string | null;
                            report: {
                                version: number;
                                seq: number;
                                sha256: string;
                            } | null;
                        };
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/turns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    runId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            items: {
                                number: number;
                                attempts: number;
                                requirementsVersion: number;
                                inputSha256: string;
                                toolCalls: unknown[];
                                actions: unknown[];
                                asks: unknown[];
                                understood: string | null;
                                outcome: string | null;
                                detail: string | null;
                                startedAt: string | null;
                                endedAt: string | null;
                            }[];
                            next: string | null;
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/turns/{n}/input": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    runId: string;
                    n: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{taskId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    taskId: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            taskId: string;
                            conversationId: string;
                            entity: {
                                type: string;
                                id: string;
                            } | null;
                            title: string | null;
                            /** Format: date-time */
                            createdAt: string;
                            runs: {
                                runId: string;
                                taskId: string;
                                conversationId: string;
                                tenant: string;
                                account: string;
                                agent: string;
                                title: string | null;
                                messageId: string | null;
                                state: "queued" | "running" | "waiting" | "parked" | "pausing" | "paused" | "cancelling" | "publishing" | "closing" | "completed" | "partial" | "failed" | "cancelled" | "interrupted";
                                waitingFor: {
                                    kind: "slot" | "tools" | "action" | "answer" | "child" | "dependency" | "fence" | "publication" | "retry" | "cancel";
                                    ref: string;
                                    /** Format: date-time */
                                    since: string;
                                    deadline: string | null;
                                }[];
                                cause: string | null;
                                detail: string | null;
                                stateRevision: number;
                                requirementsVersion: number;
                                appliedVersion: number;
                                turns: number;
                                versions: {
                                    version: number;
                                    kind: string;
                                    /** @description Null where the content of the run was purged */
                                    text: string | null;
                                    understood: string | null;
                                    /** Format: date-time */
                                    receivedAt: string;
                                    appliedAt: string | null;
                                }[];
                                effectiveRequirements: {
                                    texts: {
                                        version: number;
                                        text: string;
                                    }[];
                                    /** @description The structured values in force, a JSON object */
                                    structured: unknown;
                                };
                                /** @description The structured values in force, a JSON object */
                                structured: unknown;
                                /** @description What each change of version or control found */
                                transitions: {
                                    /** Format: date-time */
                                    at: string;
                                }[];
                                steps: {
                                    callId: string;
                                    tool: string;
                                    status: string;
                                    requirementsVersion: number;
                                    needsRecheck: boolean;
                                    resultSha256: string | null;
                                }[];
                                pendingUpdates: {
                                    kind: string;
                                    messageId: string;
                                    clientMessageId: string | null;
                                    version: number | null;
                                    /** Format: date-time */
                                    receivedAt: string;
                                }[];
                                budget: {
                                    turnsLeft: number;
                                    costLeft: number | null;
                                    /** Format: date-time */
                                    hardDeadline: string;
                                };
                                grants: {
                                    tools: string[];
                                    connectors: string[];
                                    sources: string[];
                                    consents: string[];
                                    given: {
                                        grant: string;
                                        from: string;
                                        /** Format: date-time */
                                        until: string;
                                    }[];
                                };
                                actions: {
                                    actionKey: string | null;
                                    proposalId: string;
                                    connector: string;
                                    operation: string;
                                    subject: string;
                                    state: string;
                                    code: string | null;
                                    requirementsVersion: number;
                                }[];
                                interactions: {
                                    interactionRef: string;
                                    questionId: string;
                                    kind: string;
                                    state: string;
                                    requirementsVersion: number;
                                }[];
                                children: {
                                    childId: string;
                                    runId: string;
                                    agent: string;
                                    state: string | null;
                                    requirementsVersion: number;
                                    needsRecheck: boolean;
                                    report: {
                                        version: number;
                                        seq: number;
                                        sha256: string;
                                    } | null;
                                }[];
                                continuation: {
                                    ofRunId: string;
                                    originalSha256: string | null;
                                    grantsCut: string[];
                                    parentCause: string | null;
                                } | null;
                                unsettledActions: string[];
                                lateSettlements: {
                                    actionKey: string;
                                    state: string;
                                    /** Format: date-time */
                                    at: string;
                                }[];
                                report: {
                                    version: number;
                                    seq: number;
                                    sha256: string;
                                } | null;
                                lastPublished: {
                                    version: number;
                                    seq: number;
                                    sha256: string;
                                } | null;
                                leaseEpoch: number;
                                parentRunId: string | null;
                                rootRunId: string;
                                continuationOfRunId: string | null;
                                /** Format: date-time */
                                enqueuedAt: string;
                                startedAt: string | null;
                                endedAt: string | null;
                                purgedAt: string | null;
                            }[];
                        };
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: never;
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
